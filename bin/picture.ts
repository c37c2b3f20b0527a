// `npm run docs:picture`: draws the picture of `shared/README.md` anew, after a change of rows or layers.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathsPicture } from '../infra/docs/picture.ts'
import { SURFACE } from '../infra/surface.ts'

const source = readFileSync(new URL('../shared/edge/endpoint.ts', import.meta.url), 'utf8')
writeFileSync(new URL('../shared/paths.svg', import.meta.url), pathsPicture(SURFACE, source))
