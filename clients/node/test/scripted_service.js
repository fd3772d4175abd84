// A service that says what a test wants it to say, byte for byte, to whoever asks; then its connection ends.
import { once } from 'node:events';
import net from 'node:net';
import { Client } from '../index.js';

export const TOKEN = '0123456789abcdef0123456789abcdef';

export const reply = (body, { type = 'application/json', status = '200 OK', length = Buffer.byteLength(body) } = {}) =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`), Buffer.from(body)]);
export const stream = (...pieces) => Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n'), ...pieces.map(piece => Buffer.from(piece))]);
export const event = (name, data) => `event: ${name}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

const sent = (socket, piece) => new Promise(resolve => { socket.write(piece, resolve); });

// `pieces` of an answer: what can be iterated over, at once or as it comes. `silence` is a piece that says nothing and does not end.
export const silence = Symbol('silence');

async function say(socket, pieces) {
  for await (const piece of pieces) {
    if (piece === silence) return;
    await sent(socket, piece);
    if (socket.destroyed) return;
  }
  socket.end();
}

// act(client, heads of requests) with a service that answers each request by answer(head).
export async function withService(answer, act, options = {}) {
  const sockets = new Set(), heads = [];
  const server = net.createServer(socket => {
    sockets.add(socket.on('error', () => {}));
    let head = '';
    socket.on('data', bytes => {
      const isRead = head.includes('\r\n\r\n');
      head += isRead ? '' : bytes.toString('latin1');
      if (isRead || !head.includes('\r\n\r\n')) return;
      heads.push(head);
      void say(socket, answer(head));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = new Client(`http://127.0.0.1:${server.address().port}`, { token: TOKEN, ...options });
  try {
    return await act(client, heads);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
