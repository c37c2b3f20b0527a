// `npm run client`: a typed client of the service in `dist/client`, which it replaces, made from the OpenAPI document.
import { join } from 'node:path'
import { writeClient } from '../infra/client/write.ts'

await writeClient(join(import.meta.dirname, '../dist/client'))
