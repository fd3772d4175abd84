// What a promise gives, unless it is late.
export async function within<T>(promise: Promise<T>, ms_max: number): Promise<T | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>(done => { timer = setTimeout(() => done('late'), ms_max); });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
