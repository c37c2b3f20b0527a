import { displayName } from '../../base/wire/fields.ts'

/** It becomes a part of a key. */
export const datasetName = displayName(100)
  .regex(/^[^#]*$/, 'must not hold #')
  .describe('A name for people.')
