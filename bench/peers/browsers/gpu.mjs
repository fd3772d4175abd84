// Whether this machine has a display, and a GPU, as hone's launcher tells (launch/browser_finder.cc): else browsers and Dawn get their drivers in software.
import fs from 'node:fs';

export function hasGpu(folder = '/dev/dri') {
  return fs.existsSync(folder) && fs.readdirSync(folder).some(name => name.startsWith('renderD'));
}

export const hasDisplay = ({ DISPLAY, WAYLAND_DISPLAY } = process.env) => Boolean(DISPLAY || WAYLAND_DISPLAY);
