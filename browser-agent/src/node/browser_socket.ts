// The browser's WebSocket, by ws: Node.js has one of its own only since 22, and a standard one has no say in its Origin.
import { WebSocket } from 'ws';

declare const self: { location: { origin: string } };

class BrowserSocket extends WebSocket {
  constructor(url: URL, protocol: string) {
    super(url, protocol, { origin: self.location.origin, perMessageDeflate: false, maxPayload: 0 });
    this.on('error', () => {});   // a close follows, as in a browser
  }
}

Object.defineProperty(globalThis, 'WebSocket', { value: BrowserSocket, configurable: true, writable: true });
