// Compiles only while the types that are shipped are those of the source; both ways.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as shipped from './index.d.ts';
import type * as source from './load.ts';

type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false;

const same: [
  Same<typeof source.load, typeof shipped.load>, Same<source.Model, shipped.Model>, Same<source.LoadOptions, shipped.LoadOptions>, Same<source.Progress, shipped.Progress>,
  Same<source.Used, shipped.Used>, Same<source.Values, shipped.Values>, Same<source.Inputs, shipped.Inputs>, Same<source.Integrity, shipped.Integrity>, Same<source.PackageError, shipped.PackageError>,
] = [true, true, true, true, true, true, true, true, true];

test('given the types that are shipped and those of the source, when compiled, then they are the same', () => assert.ok(same.every(one => one)));
