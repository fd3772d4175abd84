// Serves folders by name on a free port, cross-origin isolated: GET /<name>/<path>. GET / is an empty page.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };
const HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin', 'Cache-Control': 'no-store' };

function fileOf(folders, urlPath) {
  const [, name, ...rest] = decodeURIComponent(urlPath).split('/');
  const root = folders[name];
  const file = root && path.join(root, ...rest);
  return file?.startsWith(root + path.sep) && fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

export async function serve(folders) {
  const server = http.createServer((request, response) => {
    const urlPath = new URL(request.url, 'http://localhost').pathname;
    if (urlPath === '/') return response.writeHead(200, { ...HEADERS, 'content-type': 'text/html' }).end('<!doctype html><meta charset=utf-8>');
    const file = fileOf(folders, urlPath);
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { ...HEADERS, 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    fs.createReadStream(file).pipe(response);
  });
  await new Promise(listening => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => { server.closeAllConnections?.(); server.close(); } };
}
