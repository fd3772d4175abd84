// Channel: one connection that carries typed messages. The browser's WebSocket is behind it (protocol/socket.ts); tests script it.
import type { Message } from '../generated/protocol.ts';

export interface Channel<Out extends Message> {
  send(message: Out, payload?: Uint8Array): void;  // dropped when the connection is gone: onClose tells
  close(): void;                 // onClose does not come after it
}

export interface ChannelEvents<In extends Message> {
  onOpen(): void;
  onMessage(message: In, payload?: Uint8Array): void;   // payload: the bytes behind the message in its frame
  onClose(reason: string, code?: number): void; // once, also when the connection never opened; code: what the far end closed it with
}

// `path` is a path on the tracker's origin, or a whole ws: or wss: URL.
export type Connect<Out extends Message, In extends Message> = (path: string, events: ChannelEvents<In>) => Channel<Out>;
