// What a device tells of itself: the protocol's fingerprint (schema/protocol.json), field by field.
export interface Fingerprint {
  readonly target: string;         // webgpu, webgl or wasm
  readonly vendor: string;         // of the adapter, as the browser names it
  readonly architecture: string;
  readonly device: string;
  readonly description: string;    // for people
  readonly backend: string;        // the graphics interface below the browser's; empty: unknown
  readonly browser: string;        // in lower case: chromium, firefox, safari, …
  readonly browser_major: number;
  readonly os: string;
  readonly features: readonly string[];
  readonly driver?: string;        // its version, where anything says it
  readonly limits: { readonly [name: string]: number };
}
