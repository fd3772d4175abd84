// A package's model, its files from the server. Node.js takes modules from the disk alone.
export async function openPackage(work, options) {
  const { load } = await import(`${globalThis.process ? work.folder : work.package}index.js`);
  return load(new URL(work.package, location.href), options);
}
