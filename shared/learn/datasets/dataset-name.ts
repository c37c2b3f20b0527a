import { plainText } from '../../base/wire/fields.ts'

/** It becomes a part of a key. */
export const datasetName = plainText(100).regex(/^[^#]*$/, 'must not hold #')
