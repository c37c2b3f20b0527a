// `npm run --silent openapi > openapi.json`: the OpenAPI document, for client generators and reviews.
import { openapiDocument } from '../infra/openapi/document.ts'

process.stdout.write(`${JSON.stringify(await openapiDocument(), null, 2)}\n`)
