// The Channel over the browser's WebSocket: frames of hone.v1, checked once here and typed from here on.
import type { ChannelEvents, Connect } from '../core/channel.ts';
import { decodeFrame, encodeFrame, protocolName, type Message } from '../generated/protocol.ts';

const policy_violation = 3000;  // the page may send 1000 or 3000–4999 only

// origin: of the tracker that paths are paths of, asked at each connection.
export function connector<Out extends Message, In extends Message>(origin: () => string, kinds: readonly In['kind'][]): Connect<Out, In> {
  return (path, events) => {
    const socket = open(path, origin());
    if (socket instanceof Error) return unopened(socket.message, events);
    socket.binaryType = 'arraybuffer';
    let over = false;
    const end = (reason: string, code?: number): void => {
      if (over) return;
      over = true;
      events.onClose(reason, code);
    };
    socket.onopen = () => events.onOpen();
    socket.onclose = event => end(event.reason || 'the connection closed', event.code);
    socket.onmessage = event => receive(event.data, kinds, events, reason => {
      socket.close(policy_violation, reason.slice(0, 100));
      end(reason);
    });
    return {
      send: (message, payload) => { if (socket.readyState === WebSocket.OPEN) socket.send(encodeFrame(message, payload)); },
      close: () => {
        over = true;
        socket.close(1000);
      },
    };
  };
}

// A page of https may open no ws: URL: then the constructor throws.
function open(path: string, origin: string): WebSocket | Error {
  try {
    const url = new URL(path, origin);
    url.protocol = url.protocol.replace('http', 'ws');
    return new WebSocket(url, protocolName);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function unopened<In extends Message>(reason: string, events: ChannelEvents<In>): { send(): void; close(): void } {
  let over = false;
  queueMicrotask(() => { if (!over) events.onClose(reason); });
  return { send: () => {}, close: () => { over = true; } };
}

function receive<In extends Message>(data: unknown, kinds: readonly In['kind'][], events: ChannelEvents<In>, refuse: (reason: string) => void): void {
  if (!(data instanceof ArrayBuffer)) return refuse('the frame is text; hone.v1 has binary frames only');
  const decoded = decodeFrame<In>(new Uint8Array(data), kinds);
  if (decoded.ok) events.onMessage(decoded.message, decoded.payload);
  else refuse(decoded.message);
}
