// BlobPieces: blobs that come over a session, a piece after the other, where the server is none that the page may fetch from.
import type { FetchBlob as AskPiece } from '../generated/protocol.ts';
import type { Attempt } from './outcome.ts';
import { failure, success } from './outcome.ts';

type Answer = (piece: Attempt<Uint8Array>) => void;

export class BlobPieces {
  readonly #send: (ask: AskPiece) => void;
  readonly #waiting = new Map<number, Answer>();   // by the request's id
  #last_id = 1;                                    // the hello's
  #over = false;

  constructor(send: (ask: AskPiece) => void) {
    this.#send = send;
  }

  async fetch(sha256: string, bytes: number): Promise<Attempt<ArrayBuffer>> {
    const pieces: Uint8Array[] = [];
    let got = 0;
    while (got < bytes) {
      const piece = await this.#ask(sha256, got);
      if (!piece.ok) return piece;
      if (piece.value.length === 0 || got + piece.value.length > bytes) return failure('protocol_error', `blob ${sha256}: ${bytes} bytes were announced, a piece at ${got} has ${piece.value.length}`);
      pieces.push(piece.value);
      got += piece.value.length;
    }
    const blob = new Uint8Array(got);
    let at = 0;
    for (const piece of pieces) {
      blob.set(piece, at);
      at += piece.length;
    }
    return success(blob.buffer);
  }

  asked(id: number): boolean {
    return this.#waiting.has(id);
  }

  // The answer to a request.
  take(id: number, piece: Attempt<Uint8Array>): void {
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    answer?.(piece);
  }

  // The session's socket is gone.
  end(): void {
    this.#over = true;
    for (const id of [...this.#waiting.keys()]) this.take(id, failure('cancelled', 'the session ended'));
  }

  #ask(sha256: string, offset: number): Promise<Attempt<Uint8Array>> {
    if (this.#over) return Promise.resolve(failure('cancelled', 'the session ended'));
    const id = ++this.#last_id;
    return new Promise(resolve => {
      this.#waiting.set(id, resolve);
      this.#send({ kind: 'fetch_blob', id, sha256, offset });
    });
  }
}
