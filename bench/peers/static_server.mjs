// Serves folders by name on a free port, cross-origin isolated: GET /<name>/<path>. GET / is an empty page, GET /plain one that is not isolated. The
// folder `linked` comes as /linked/<path> over a link of so many bits per second, which all requests share.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Link } from './link.mjs';

const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };
const HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin', 'Cache-Control': 'no-store' };

function fileOf(folders, urlPath) {
  const [, name, ...rest] = decodeURIComponent(urlPath).split('/');
  const root = folders[name];
  const file = root && path.join(root, ...rest);
  return file?.startsWith(root + path.sep) && fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

const EMPTY = '<!doctype html><meta charset=utf-8>';

export async function serve(folders, { linked, bits_per_second } = {}) {
  const link = linked && new Link(bits_per_second), all = { ...folders, linked };
  const server = http.createServer((request, response) => {
    const urlPath = new URL(request.url, 'http://localhost').pathname;
    if (urlPath === '/' || urlPath === '/plain') return response.writeHead(200, { ...(urlPath === '/' && HEADERS), 'content-type': 'text/html' }).end(EMPTY);
    const file = fileOf(all, urlPath);
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { ...HEADERS, 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    const content = fs.createReadStream(file);
    pipeline(urlPath.startsWith('/linked/') ? Readable.from(link.through(content)) : content, response).catch(() => {});   // who asked has gone
  });
  await new Promise(listening => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => { server.closeAllConnections?.(); server.close(); } };
}
