// Browsers that peers run in, by name: open(url of the files, how) gives {version, page(at?), openAgent(url of a hone service), close(), kill?()}. A page holds one
// module: load(path), then call(name, …) runs one of its exported functions. how.gpu: on the machine's GPU where it has one, in a window where there is a display; else on
// software. Each is loaded when it is asked for: Dawn needs no driver of browsers.
export const BROWSERS = {
  chromium: async (...args) => (await import('./chromium.mjs')).openChromium(...args),
  firefox: async (...args) => (await import('./firefox.mjs')).openFirefox(...args),
  dawn: async (...args) => (await import('./dawn.mjs')).openDawn(...args),
};
