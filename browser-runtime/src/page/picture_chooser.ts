// Where a visitor gives a picture: dropped, chosen, or from the camera. What the model sees of it is shown.
import type { Model } from '../package/load.ts';
import { element } from './element.ts';
import { cropOf, pictureInput, tensorOf, type PictureInput } from './picture.ts';

export type Chosen = (inputs: Record<string, Float32Array<ArrayBuffer>>) => void;
type Picture = ImageBitmap | HTMLVideoElement;

// Shown where one input of the model has a picture's shape. onChosen: the tensor by the input's name; onError: a picture or camera that cannot be read.
export function offerPictures({ inputs }: Pick<Model, 'inputs'>, onChosen: Chosen, onError: (error: unknown) => void): void {
  const input = pictureInput(inputs);
  if (input === undefined) return;
  const zone = element('picture'), file = element<HTMLInputElement>('file'), camera = element<HTMLButtonElement>('camera');
  const take = (making: Promise<Picture>): void => { void making.then(picture => onChosen({ [input.name]: seen(picture, input) })).catch(onError); };
  zone.hidden = false;
  camera.hidden = !('mediaDevices' in navigator);    // insecure origins have none
  file.onchange = () => {
    if (file.files?.[0] !== undefined) take(read(file.files[0]));
    file.value = '';   // the same file may be chosen again
  };
  camera.onclick = () => take(photograph());
  zone.ondragover = event => event.preventDefault();
  zone.ondrop = event => {
    event.preventDefault();
    const dropped = event.dataTransfer?.files[0];
    if (dropped !== undefined) take(read(dropped));
  };
}

async function read(file: File): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file);
  } catch {
    throw new Error(`${file.name} is no picture that this browser can read.`);
  }
}

// One picture; the camera is free again afterwards.
async function photograph(): Promise<ImageBitmap> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: true }).catch((error: unknown) => {
    throw new Error(`The camera cannot be used: ${(error instanceof Error ? error.message : String(error)).replace(/\.+$/, '')}.`);
  });
  const video = document.createElement('video');
  try {
    video.muted = true;
    video.srcObject = stream;
    await video.play();
    return await createImageBitmap(video);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

function seen(picture: Picture, input: PictureInput): Float32Array<ArrayBuffer> {
  const canvas = element<HTMLCanvasElement>('seen'), { width, height } = input;
  Object.assign(canvas, { width, height, hidden: false });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('This browser draws no pictures.');
  const [left, top, wide, high] = cropOf({ width: picture.width, height: picture.height }, input);
  context.drawImage(picture, left, top, wide, high, 0, 0, width, height);
  return tensorOf(context.getImageData(0, 0, width, height).data, input);
}
