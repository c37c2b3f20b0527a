// `npm run new -- worker reports/send-report`: the files of a queue and its worker, and their lines in the tables that there are.
import { QUEUE_NAMES } from '../../shared/base/catalog/queues.ts'
import { workers } from '../../functions/workers.ts'
import { camel, LAYERS, NAME, Refused, words } from './operation.ts'

type NewWorker = { room: string; worker: string; queue: string; layer: string }

export type WorkerOptions = { layer?: string | undefined; queue?: string | undefined }
type TextOf = (path: string) => string | undefined

/** Throws `Refused`. */
function readWorker(target: string, { layer = 'operate', queue: chosen }: WorkerOptions): NewWorker {
  const [room = '', worker = '', ...more] = target.split('/')
  const queue = chosen ?? room
  if (![room, worker, queue].every((name) => NAME.test(name)) || more.length > 0) {
    throw new Refused('Name the worker as <room>/<worker>, in small letters with hyphens: reports/send-report.')
  }
  if (!LAYERS.includes(layer)) throw new Refused(`${layer} is no layer for a room: ${LAYERS.join(', ')}.`)
  if (Object.hasOwn(workers, camel(worker))) throw new Refused(`The worker ${worker} exists already.`)
  if (QUEUE_NAMES.some((name) => name === queue)) {
    throw new Refused(`The queue ${queue} has a worker already. Name another with --queue.`)
  }
  return { room, worker, queue, layer }
}

/** Every file of the worker, by path, and what is left to do. */
export function workerFiles(target: string, options: WorkerOptions, textOf: TextOf) {
  const one = readWorker(target, options)
  const folder = `shared/${one.layer}/${one.room}`
  const before = (path: string, mark: string, line: string) => ({ [path]: inserted(textOf(path) ?? '', mark, line) })
  const made = {
    [`${folder}/${one.queue}-queue.ts`]: queueFile(one),
    [`${folder}/${one.worker}.ts`]: verbFile(one),
    [`functions/workers/${one.worker}.ts`]: handlerFile(one, folder),
    [`test/unit/${one.layer}/${one.room}/${one.worker}.test.ts`]: testFile(one, folder),
  }
  const name = camel(one.queue) === one.queue ? one.queue : `'${one.queue}'`
  return {
    made,
    files: {
      ...made,
      ...before('shared/base/catalog/queues.ts', '\n] as const', `\n  '${one.queue}',`),
      ...before(
        'infra/topology.ts',
        '\n}\n\n/** One thing for each queue',
        `\n  ${name}: { visibilitySeconds: 360, maxReceives: 3 },`,
      ),
      ...before('functions/workers.ts', '\n})\n', `\n${row(one)}`),
    },
    left: [
      `${folder}/${one.queue}-queue.ts: the members of a message`,
      `${folder}/${one.worker}.ts: the work, which must change nothing when it comes twice`,
      `functions/workers.ts: what the worker uses and leaves, and whom it hurts when it stops (impact)`,
      `the rows of functions that send: { queue: '${one.queue}' }`,
      'where a lost message matters: due work, from which the sweeper sends again (shared/base/table/due.ts)',
      `npm test -- test/unit/${one.layer}/${one.room} test/architecture test/infra/privileges.test.ts test/infra/docs`,
    ],
  }
}

/** Throws where the mark is not found, because the file has changed its form. */
export function inserted(text: string, mark: string | RegExp, line: string): string {
  const at = text.search(
    typeof mark === 'string' ? new RegExp(mark.replaceAll(/[$()*+.?[\]{}|\\]/g, String.raw`\$&`)) : mark,
  )
  if (at < 0) throw new Error(`no place for: ${line.trim()}`)
  return text.slice(0, at) + line + text.slice(at)
}

const row = ({ worker, queue }: NewWorker) => `  ${camel(worker)}: {
    trigger: { queue: '${queue}', batchSize: 10, maxConcurrency: 5 },
    uses: [],
    evidence: { none: 'no artifact records it yet' },
    timeoutSeconds: 60,
    impact: 'Messages of the queue ${queue} wait.',
  },`

const queueFile = ({ worker, queue }: NewWorker) => `import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { queue, send } from '../../base/kernel/queue.ts'
import { resourceMembers } from '../../base/table/members.ts'

export const ${camel(queue)}Queue = queue('${queue}', z.object(resourceMembers))

/** Hands a thing to the worker \`${camel(worker)}\`. The message may arrive twice, and in any order. */
export const enqueue${camel(`-${worker}`)} = ({ tenant_id, mode }: Space, id: string): Promise<void> =>
  send(${camel(queue)}Queue, { tenant_id, mode, id })
`

const verbFile = ({ worker }: NewWorker) => `import type { Context } from '../../base/context.ts'
import { info } from '../../base/lib/log.ts'

/** The work of one message. It may come twice, so a second run must change nothing. */
export async function ${camel(worker)}({ space }: Context, id: string): Promise<void> {
  info('${worker.replaceAll('-', '_')}', { ...space, id })
}
`

const handlerFile = (
  { worker, queue }: NewWorker,
  folder: string,
) => `import { systemContext } from '../../shared/base/context.ts'
import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import { ${camel(worker)} } from '../../${folder}/${worker}.ts'
import { ${camel(queue)}Queue } from '../../${folder}/${queue}-queue.ts'

/** One message for each thing to work on. Failed messages return to the queue. */
export const handler = (event: QueueEvent) =>
  read(${camel(queue)}Queue, event, { failed: '${worker.replaceAll('-', '_')}_failed' }, ({ id, ...space }) =>
    ${camel(worker)}(systemContext(space), id),
  )
`

const testFile = ({ worker, queue }: NewWorker, folder: string) => {
  const send = `enqueue${camel(`-${worker}`)}`
  return `import { beforeEach, expect, test } from 'vitest'
import { handler } from '../../../../functions/workers/${worker}.ts'
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { setRuntime } from '../../../../shared/base/context.ts'
import { ${send} } from '../../../../${folder}/${queue}-queue.ts'
import { intercept } from '../../../support/intercept.ts'
import { stillClock } from '../../../support/still-clock.ts'

type Sent = { QueueUrl: string; Entries: { MessageBody: string }[] }
const message = { tenant_id: 'ten_1', mode: 'live', id: 'one' } as const

let sent: Sent[]
beforeEach(() => {
  Object.assign(process.env, {
    TABLE_NAME: 'countersign',
    QUEUE_BASE: 'https://sqs.memory/',
    AWS_REGION: 'memory',
    LOG_LEVEL: 'off',
  })
  sent = []
  resetClients([
    (client) =>
      intercept(client, async ({ input }) => {
        sent.push(input as Sent)
        return { Successful: [], Failed: [] }
      }),
  ])
  setRuntime({ clock: stillClock() })
})

test('what is sent names the thing, in the queue ${words(queue)}', async () => {
  await ${send}(message, message.id)

  expect(sent).toMatchObject([
    { QueueUrl: 'https://sqs.memory/${queue}', Entries: [{ MessageBody: JSON.stringify(message) }] },
  ])
})

test('the work of a message is done, and a message without its members comes back', async () => {
  const Records = [
    { messageId: 'good', body: JSON.stringify(message) },
    { messageId: 'bad', body: '{}' },
  ]

  expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] })
})
`
}
