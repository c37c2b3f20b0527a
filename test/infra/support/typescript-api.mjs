// Gives openapi-typescript a compiler with an API in JavaScript, which TypeScript 7 has no longer. `@ts-morph/common` carries
// one without a command of its own: a second `typescript` would take the place of `tsc`.
import { registerHooks } from 'node:module'

const CARRIED = '@ts-morph/common/dist/typescript.js'
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? CARRIED : name, context) })
