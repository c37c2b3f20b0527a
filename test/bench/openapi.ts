// `npm run bench -- openapi [paths or addresses of documents]`: reads and converts OpenAPI documents, and checks each schema as
// registering it does. Without arguments it makes one as large as the largest public ones: thousands of operations, schemas that refer
// to each other in circles.
import { readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { convert, type Converted } from '../../shared/deliver/integrations/openapi/convert.ts'
import { readDocument } from '../../shared/deliver/integrations/openapi/read-document.ts'
import { inputSchemaProblems } from '../../shared/govern/manifests/input-schema-limits.ts'
import { schemaViolations } from '../../shared/govern/manifests/payload-check.ts'

const GOALS = { cpu_s: 5, megabytes: 450 }
const MADE = { operations: 3_000, schemas: 2_500, members: 24 }
const MEGABYTE = 1_048_576
const MICROSECONDS = 1_000_000

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

const rounded = (seconds: number) => Number(seconds.toFixed(2))

type Took = { seconds: number; cpu_s: number }

async function timed<T>(work: () => T | Promise<T>): Promise<[T, Took]> {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  const result = await work()
  const { user, system } = process.cpuUsage(cpu)
  const took = { seconds: (performance.now() - start) / 1_000, cpu_s: (user + system) / MICROSECONDS }
  return [result, { seconds: rounded(took.seconds), cpu_s: rounded(took.cpu_s) }]
}

/** Whether an action could not be registered, although it was made here. */
const isRefused = ({ endpoint: { input_schema } }: Converted): boolean =>
  inputSchemaProblems(input_schema).length > 0 || schemaViolations(input_schema, []).length > 0

async function measured(name: string, document: string): Promise<boolean> {
  const before = process.memoryUsage().rss
  const [{ operations, skipped }, made_of] = await timed(async () => convert(await readDocument(document), 'bench'))
  const megabytes = Math.round((process.memoryUsage().rss - before) / MEGABYTE)
  const [refused, checked] = await timed(() => operations.filter(isRefused))
  console.log({
    document: name,
    size_mb: rounded(Buffer.byteLength(document) / MEGABYTE),
    operations: operations.length,
    nodes: new Set(operations.map(({ group }) => group)).size,
    skipped: skipped.length,
    simplified: operations.filter(({ simplified }) => simplified).length,
    refused: refused.map(({ operation }) => operation),
    ...made_of,
    megabytes,
    checked,
    goals: GOALS,
  })
  return made_of.cpu_s <= GOALS.cpu_s && megabytes <= GOALS.megabytes && refused.length === 0
}

async function textAt(place: string): Promise<string> {
  if (!/^https?:/.test(place)) return readFile(place, 'utf8')
  const answer = await fetch(place)
  if (!answer.ok) throw new Error(`${place} answers ${answer.status}`)
  return answer.text()
}

export async function run(places: string[]): Promise<void> {
  const results: boolean[] = []
  if (places.length === 0) results.push(await measured('made here', made()))
  for (const place of places) results.push(await measured(place, await textAt(place)))
  if (!results.every(Boolean)) process.exitCode = 1
}
