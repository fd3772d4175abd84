// A promise with an end.
export function limited(promise, ms_max, what) {
  let timer;
  const over = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what} took over ${ms_max / 1000} s`)), ms_max); });
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}
