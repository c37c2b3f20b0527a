// Stand-in for SQS: messages on disk, with visibility time-outs and dead-letter queues by the given clock. Delivery is
// at-least-once: a message that was received but not deleted returns at the next start.
import { createHash, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import type { Clock } from './clock.ts'

export type Message = {
  id: string
  queue: string
  body: string
  /** W3C trace context, sent as a message attribute. */
  traceparent: string | null
  sent_at: number
  visible_at: number
  receives: number
  first_received_at: number | null
}

type SendOptions = { delaySeconds?: number | undefined; traceparent?: string | undefined }

type QueueSettings = { visibilitySeconds: number; maxReceives: number }

export type Queues = {
  actions: Actions
  url: (queue: string) => string
  send: (queue: string, body: string, options?: SendOptions) => string
  /** Receives up to `max` visible messages, oldest first. Messages that were received too often move to `<queue>-dlq`. */
  receive: (queue: string, max: number) => Message[]
  remove: (message: Message) => void
  /** Hides a received message for so many seconds from now on. */
  hide: (id: string, seconds: number) => void
  /** Messages that are visible now and those in flight or delayed. */
  depth: (queue: string) => { visible: number; hidden: number }
  /** Called after each message that arrives. */
  onSend: (listener: (queue: string) => void) => void
}

/** Messages in a dead-letter queue stay until they are deleted. */
const DEAD_LETTERS: QueueSettings = { visibilitySeconds: 30, maxReceives: Number.MAX_SAFE_INTEGER }

const SCHEMA = `CREATE TABLE IF NOT EXISTS sqs_messages (
  id TEXT PRIMARY KEY, queue TEXT NOT NULL, body TEXT NOT NULL, sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL,
  receives INTEGER NOT NULL DEFAULT 0, first_received_at INTEGER
);
CREATE INDEX IF NOT EXISTS sqs_visible ON sqs_messages (queue, visible_at);
UPDATE sqs_messages SET visible_at = 0 WHERE receives > 0`

/** Older data directories have the table without it. */
function addTraceparent(db: DatabaseSync): void {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('sqs_messages')`).all()
  if (!columns.some(({ name }) => name === 'traceparent'))
    db.exec('ALTER TABLE sqs_messages ADD COLUMN traceparent TEXT')
}

export function createQueues(
  db: DatabaseSync,
  settings: Record<string, QueueSettings>,
  baseUrl: string,
  clock: Clock,
): Queues {
  db.exec(SCHEMA)
  addTraceparent(db)
  const insert = db.prepare(
    'INSERT INTO sqs_messages (id, queue, body, sent_at, visible_at, traceparent) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const visible = db.prepare(
    'SELECT * FROM sqs_messages WHERE queue = ? AND visible_at <= ? ORDER BY sent_at, rowid LIMIT ?',
  )
  const take = db.prepare('UPDATE sqs_messages SET visible_at = ?, receives = ?, first_received_at = ? WHERE id = ?')
  const bury = db.prepare(
    `UPDATE sqs_messages SET queue = queue || '-dlq', visible_at = 0 WHERE queue = ? AND visible_at <= ? AND receives >= ?`,
  )
  const hide = db.prepare('UPDATE sqs_messages SET visible_at = ? WHERE id = ?')
  const erase = db.prepare('DELETE FROM sqs_messages WHERE id = ?')
  const count = db.prepare(
    `SELECT coalesce(sum(visible_at <= ?), 0) AS visible, coalesce(sum(visible_at > ?), 0) AS hidden
     FROM sqs_messages WHERE queue = ?`,
  )
  const listeners: ((queue: string) => void)[] = []

  function receive(queue: string, max: number): Message[] {
    const now = clock.now()
    const { visibilitySeconds, maxReceives } = settings[queue] ?? DEAD_LETTERS
    const due = () => visible.all(queue, now, max) as Message[]
    let found = due()
    if (found.some(({ receives }) => receives >= maxReceives)) {
      bury.run(queue, now, maxReceives)
      found = due()
    }
    return found.map((one) => {
      const message = { ...one, receives: one.receives + 1, first_received_at: one.first_received_at ?? now }
      take.run(now + visibilitySeconds * 1_000, message.receives, message.first_received_at, message.id)
      return message
    })
  }

  const queues: Omit<Queues, 'actions'> = {
    url: (queue) => `${baseUrl}/000000000000/${queue}`,
    send: (queue, body, { delaySeconds = 0, traceparent } = {}) => {
      const id = randomUUID()
      insert.run(
        id,
        queue,
        body,
        clock.now(),
        delaySeconds === 0 ? 0 : clock.now() + delaySeconds * 1_000,
        traceparent ?? null,
      )
      for (const listener of listeners) listener(queue)
      return id
    },
    receive,
    remove: ({ id }) => void erase.run(id),
    hide: (id, seconds) => void hide.run(clock.now() + seconds * 1_000, id),
    depth: (queue) => ({ ...(count.get(clock.now(), clock.now(), queue) as { visible: number; hidden: number }) }),
    onSend: (listener) => void listeners.push(listener),
  }
  return { ...queues, actions: actionsOf(queues, settings) }
}

type Entry = {
  Id: string
  MessageBody: string
  DelaySeconds?: number
  MessageAttributes?: { traceparent?: { StringValue?: string } }
}

/** The operations that functions call. Only the event source receives, and it runs in this process. */
function actionsOf(queues: Omit<Queues, 'actions'>, settings: Record<string, unknown>): Actions {
  const named = (url: string): string => {
    const name = url.split('/').at(-1) ?? ''
    if (name.replace(/-dlq$/, '') in settings) return name
    throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.', {
      queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
    })
  }
  const accept = (url: string, { MessageBody, DelaySeconds, MessageAttributes }: Entry) => ({
    MessageId: queues.send(named(url), MessageBody, {
      delaySeconds: DelaySeconds,
      traceparent: MessageAttributes?.traceparent?.StringValue,
    }),
    MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
  })
  return {
    'AmazonSQS.SendMessageBatch': ({ QueueUrl, Entries }: { QueueUrl: string; Entries: Entry[] }) => {
      if (Entries.length > 10) throw new AwsError('TooManyEntriesInBatchRequest', 'Maximum number of entries is 10.')
      return { Successful: Entries.map((entry) => ({ Id: entry.Id, ...accept(QueueUrl, entry) })), Failed: [] }
    },
    // A receipt handle is the id of its message.
    'AmazonSQS.ChangeMessageVisibility': (input: {
      QueueUrl: string
      ReceiptHandle: string
      VisibilityTimeout: number
    }) => {
      named(input.QueueUrl)
      queues.hide(input.ReceiptHandle, input.VisibilityTimeout)
      return {}
    },
    'AmazonSQS.GetQueueAttributes': ({ QueueUrl }: { QueueUrl: string }) => {
      const { visible, hidden } = queues.depth(named(QueueUrl))
      return {
        Attributes: {
          ApproximateNumberOfMessages: String(visible),
          ApproximateNumberOfMessagesNotVisible: String(hidden),
        },
      }
    },
  }
}
