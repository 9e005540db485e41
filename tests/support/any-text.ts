/** Any text at all for property tests: what people type, and any UTF-16 units, also halves of surrogate pairs. */
import fc from 'fast-check'

/** fast-check's own `unit: 'binary'` does the same, but takes 0.7 s to build. */
const anyUnits = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map(units => String.fromCharCode(...units))

export const anyText = (maxLength = 20): fc.Arbitrary<string> =>
  fc.oneof(fc.string({ maxLength }), anyUnits(maxLength))
