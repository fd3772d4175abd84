// A plain static server: files out of a folder and out of memory, with headers that a test asks for.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const types: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.json': 'application/json' };

export class StaticServer {
  headers: Record<string, string> = {};
  readonly asked: string[] = [];                       // paths, in order
  readonly files = new Map<string, Buffer>();          // by path
  readonly report: Promise<string>;                    // what a page sends to /report
  #onReport: (text: string) => void = () => {};
  readonly held = new Map<string, Promise<void>>();    // answered once that has come

  private constructor(private readonly server: Server, readonly port: number, private readonly folders: Readonly<Record<string, string>>) {
    this.report = new Promise(resolve => { this.#onReport = resolve; });
  }

  // folders: path prefixes and the folders behind them.
  static async start(folders: Readonly<Record<string, string>>): Promise<StaticServer> {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      self.asked.push(pathname);
      if (pathname === '/report') {
        let text = '';
        request.on('data', chunk => { text += String(chunk); }).on('end', () => {
          response.end();
          self.#onReport(text);
        });
        return;
      }
      void (self.held.get(pathname) ?? Promise.resolve()).then(() => {
        const content = self.read(pathname);
        for (const [name, value] of Object.entries(self.headers)) response.setHeader(name, value);
        response.setHeader('Content-Type', types[path.extname(pathname) || (pathname.endsWith('/') ? '.html' : '')] ?? 'application/octet-stream');
        response.statusCode = content === undefined ? 404 : 200;
        response.end(content ?? 'not found');
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const self = new StaticServer(server, (server.address() as AddressInfo).port, folders);
    return self;
  }

  read(pathname: string): Buffer | undefined {
    return this.files.get(pathname) ?? this.#readFolder(pathname);
  }

  #readFolder(pathname: string): Buffer | undefined {
    for (const [prefix, folder] of Object.entries(this.folders)) {
      const file = path.join(folder, pathname.slice(prefix.length));
      if (pathname.startsWith(prefix) && file.startsWith(folder) && existsSync(file) && statSync(file).isFile()) return readFileSync(file);
    }
    return undefined;
  }

  url(pathname: string, host = '127.0.0.1'): string {
    return `http://${host}:${this.port}${pathname}`;
  }

  put(folder: string, files: ReadonlyMap<string, Buffer>): void {
    for (const [name, content] of files) this.files.set(`${folder}${name}`, content);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
