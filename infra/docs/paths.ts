// What `shared/paths.svg` shows, read from the rows and from the list of layers: boxes, and which leads to which.
import type { Surface } from '../surface.ts'
import { RULES } from '../topology.ts'
import type { Use } from '../../shared/base/wire/route.ts'
import type { Worker } from '../../shared/base/wire/worker.ts'

type Sort = 'function' | 'pipe' | 'outside'
export type Node = { id: string; title: string; note: string; sort: Sort }
export type Graph = { nodes: Map<string, Node & { column: number }>; edges: [from: string, to: string][] }

/** What each layer does, in a few words. A layer without words is an error, so none is left out. */
const LAYER_NOTES: Record<string, string> = {
  respond: 'ids, headers, errors as statuses',
  links: 'links to pages of a list',
  auditDenials: 'refusals in the audit log',
  ownOrigin: 'cookies only from own pages',
  validate: 'shapes of body, query, path',
  authenticate: 'key, token or session',
  limitRate: 'rate windows of the tenant',
  authorize: 'permission, tenant, mode',
  once: 'Idempotency-Key',
  record: 'no success without evidence',
}

/** The layers in the order in which `shared/edge/endpoint.ts` lists them. */
export function layersOf(endpointSource: string): string[] {
  const [, list = ''] = /const layers: Layer\[\] = \[\n([^]*?)\n {2}\]/.exec(endpointSource) ?? []
  return [...list.matchAll(/^ {4}(\w+)\(/gm)].map(([, name = '']) => name)
}

export function requestNodes(layers: readonly string[]): Node[] {
  const steps = layers.map((name): Node => {
    const note = LAYER_NOTES[name]
    if (note === undefined) throw new Error(`infra/docs/paths.ts has no words for the layer ${name}`)
    return { id: name, title: name, note, sort: 'function' }
  })
  return [
    { id: 'gateway', title: 'API Gateway', note: 'one function for each row', sort: 'pipe' },
    ...steps,
    { id: 'handler', title: 'handler', note: 'functions/<area>/<operation>.ts', sort: 'function' },
    { id: 'verb', title: 'verb', note: 'shared/<layer>/<room>/', sort: 'function' },
    { id: 'commit', title: 'commit', note: 'state, evidence, events: all or none', sort: 'pipe' },
  ]
}

const functionNode = ({ operation }: Pick<Worker, 'operation'>): Node => ({
  id: `worker:${operation}`,
  title: operation,
  note: `workers/${operation}.ts`,
  sort: 'function',
})
const queueNode = (name: string): Node => ({ id: `queue:${name}`, title: name, note: 'queue', sort: 'pipe' })

const STREAM_NOTES = { OUTBOX: 'events and mails of a commit', POINTER: 'artifacts without a position' } as const
const streamNode = (name: keyof typeof STREAM_NOTES): Node => ({
  id: `stream:${name}`,
  title: `table stream: ${name}`,
  note: STREAM_NOTES[name],
  sort: 'pipe',
})

/** What a function hands on by its row. */
const sentBy = (from: string, uses: readonly Use[]): Node[] =>
  uses.flatMap((use): Node[] => {
    if ('queue' in use && use.comesBack !== 'only') return [queueNode(use.queue)]
    if ('bus' in use) return [{ id: 'bus', title: 'event bus', note: 'rules of infra/topology.ts', sort: 'pipe' }]
    if ('bucket' in use && use.bucket === 'evidence' && use.access === 'write') {
      return [{ id: 'bucket', title: 'evidence bucket', note: 'Object Lock: nobody changes it', sort: 'outside' }]
    }
    if ('outbound' in use)
      return [{ id: `out:${from}`, title: 'outside, by HTTPS', note: outsideOf(from), sort: 'outside' }]
    return []
  })

const outsideOf = (from: string) => (from === 'execute' ? 'target of the action' : 'address of the receiver')

/** What a stream, a queue, the bus or the state machine calls. */
function calledBy(id: string, workers: readonly Worker[]): Node[] {
  const machine: Node = { id: 'machine', title: 'webhook-retries', note: 'state machine', sort: 'pipe' }
  if (id === 'bus') {
    return Object.values(RULES).map(({ target }) => ('queue' in target ? queueNode(target.queue) : machine))
  }
  const called = workers.filter(({ trigger }) => {
    if ('stream' in trigger) return id === `stream:${trigger.stream}`
    if ('queue' in trigger) return id === `queue:${trigger.queue}`
    return 'task' in trigger && id === 'machine'
  })
  return called.map(functionNode)
}

/** Everything that one execution sets off, in columns by the number of steps to it. */
export function executionGraph({ routes, workers }: Surface): Graph {
  const row = routes.find(({ area, operation }) => area === 'protocol' && operation === 'execute')
  if (!row) throw new Error('no row protocol/execute')
  const first: Node = { id: 'execute', title: 'protocol/execute', note: `${row.method} ${row.path}`, sort: 'function' }
  const graph: Graph = { nodes: new Map([[first.id, { ...first, column: 0 }]]), edges: [] }
  const usesOf = new Map([[first.id, row.uses], ...workers.map((one) => [functionNode(one).id, one.uses] as const)])
  for (const { id, column } of graph.nodes.values()) {
    const streams = id === first.id ? [streamNode('OUTBOX'), streamNode('POINTER')] : []
    const next = [...streams, ...sentBy(id, usesOf.get(id) ?? []), ...calledBy(id, workers)]
    for (const node of next) {
      const known = graph.nodes.get(node.id)
      if (!known) graph.nodes.set(node.id, { ...node, column: column + 1 }) // the loop comes to it, too
      if (!known || known.column > column) graph.edges.push([id, node.id])
    }
  }
  return graph
}
