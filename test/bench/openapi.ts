// `npm run bench -- openapi [paths of documents]`: reads and converts OpenAPI documents. Without paths it makes one as large as
// the largest public ones: thousands of operations, schemas that refer to each other in circles.
import { readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { convert } from '../../shared/deliver/integrations/openapi/convert.ts'
import { readDocument } from '../../shared/deliver/integrations/openapi/read-document.ts'

const GOALS = { seconds: 5, megabytes: 450 }
const MADE = { operations: 3_000, schemas: 2_500, members: 24 }
const MEGABYTE = 1_048_576

const text = (n: number) => `What number ${n} is, told at the length that such a description usually has. `.repeat(2)

const CYCLE = 4

/** Each fourth schema refers to three others of these, so that every one of them leads back to itself. */
function madeSchema(n: number): object {
  const refers = (to: number) => ({ $ref: `#/components/schemas/S${(to * CYCLE + MADE.schemas) % MADE.schemas}` })
  const plain = Array.from({ length: MADE.members }, (_, i) => [
    `member_${i}`,
    { type: 'string', description: text(i) },
  ])
  const circle = { next: refers(n + 1), half: refers(n * 2), list: { type: 'array', items: refers(n + 7) } }
  const properties = { ...Object.fromEntries(plain), ...(n % CYCLE === 0 && circle) }
  return { type: 'object', properties, required: ['member_0'] }
}

function made(): string {
  const operation = (n: number) => ({
    post: {
      operationId: `thing/change-${n}`,
      tags: [`group ${n % 40}`],
      summary: text(n),
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      requestBody: {
        content: { 'application/json': { schema: { $ref: `#/components/schemas/S${n % MADE.schemas}` } } },
      },
    },
  })
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
  return JSON.stringify({
    openapi: '3.1.0',
    paths: Object.fromEntries(numbers(MADE.operations).map((n) => [`/things/${n}/{id}`, operation(n)])),
    components: { schemas: Object.fromEntries(numbers(MADE.schemas).map((n) => [`S${n}`, madeSchema(n)])) },
  })
}

async function measured(name: string, document: string): Promise<boolean> {
  const before = process.memoryUsage().rss
  const start = performance.now()
  const read = await readDocument(document)
  const between = performance.now()
  const { operations, skipped } = convert(read, 'bench')
  const seconds = (performance.now() - start) / 1_000
  const megabytes = Math.round((process.memoryUsage().rss - before) / MEGABYTE)
  console.log({
    document: name,
    size_mb: Number((Buffer.byteLength(document) / MEGABYTE).toFixed(1)),
    operations: operations.length,
    skipped: skipped.length,
    simplified: operations.filter(({ simplified }) => simplified).length,
    read_s: Number(((between - start) / 1_000).toFixed(2)),
    seconds: Number(seconds.toFixed(2)),
    megabytes,
    goals: GOALS,
  })
  return seconds <= GOALS.seconds && megabytes <= GOALS.megabytes
}

export async function run(paths: string[]): Promise<void> {
  const results: boolean[] = []
  if (paths.length === 0) results.push(await measured('made here', made()))
  for (const path of paths) results.push(await measured(path, await readFile(path, 'utf8')))
  if (!results.every(Boolean)) process.exitCode = 1
}
