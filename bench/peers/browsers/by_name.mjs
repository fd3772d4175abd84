// Browsers that peers run in, by name: open(url of the files) gives {version, page(at?), openAgent(url of a hone service), close(), kill?()}. A page holds one
// module: load(path), then call(name, …) runs one of its exported functions.
import { openChromium } from './chromium.mjs';
import { openDawn } from './dawn.mjs';
import { openFirefox } from './firefox.mjs';

export const BROWSERS = { chromium: openChromium, firefox: openFirefox, dawn: openDawn };
