// `shared/paths.svg`: the path of a request and what follows an execution, drawn from the rows, so that the picture cannot differ
// from what runs. `npm run docs:picture` writes it, and a test compares it.
import type { Surface } from '../surface.ts'
import { RULES } from '../topology.ts'
import type { Use } from '../../shared/base/wire/route.ts'
import type { Worker } from '../../shared/base/wire/worker.ts'

type Sort = 'function' | 'pipe' | 'outside'
type Node = { id: string; title: string; note: string; sort: Sort }
type Graph = { nodes: Map<string, Node & { column: number }>; edges: [from: string, to: string][] }

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

const WIDTH = 200
const HEIGHT = 42
const GAP = { x: 40, y: 14 }
const PER_LINE = 5
const TOP = 34

/** The layers in the order in which `shared/edge/endpoint.ts` lists them. */
export function layersOf(endpointSource: string): string[] {
  const [, list = ''] = /const layers: Layer\[\] = \[\n([^]*?)\n {2}\]/.exec(endpointSource) ?? []
  return [...list.matchAll(/^ {4}(\w+)\(/gm)].map(([, name = '']) => name)
}

function requestNodes(layers: readonly string[]): Node[] {
  const steps = layers.map((name): Node => {
    const note = LAYER_NOTES[name]
    if (note === undefined) throw new Error(`infra/docs/picture.ts has no words for the layer ${name}`)
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

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const COLOURS = {
  function: ['#e8f0fe', '#0b57d0'],
  pipe: ['#f3f5f8', '#767d86'],
  outside: ['#fdf3e1', '#8a5a00'],
} as const

function box({ title, note, sort }: Node, x: number, y: number): string {
  const [fill, edge] = COLOURS[sort]
  return `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="5" fill="${fill}" stroke="${edge}"/>
<text x="${x + 9}" y="${y + 17}" font-weight="600">${escaped(title)}</text>
<text x="${x + 9}" y="${y + 33}" font-size="10" fill="#57606a">${escaped(note)}</text>`
}

const arrow = (path: string) => `<path d="${path}" fill="none" stroke="#767d86" marker-end="url(#end)"/>`
const heading = (text: string, y: number) =>
  `<text x="0" y="${y}" font-size="15" font-weight="600">${escaped(text)}</text>`

/** Boxes in lines of five, read like text. */
function drawRequest(nodes: readonly Node[]): { parts: string[]; height: number } {
  const step = { x: WIDTH + GAP.x, y: HEIGHT + 2 * GAP.y }
  const parts = nodes.flatMap((node, index) => {
    const x = (index % PER_LINE) * step.x
    const y = TOP + Math.floor(index / PER_LINE) * step.y
    const isEnd = index % PER_LINE === PER_LINE - 1
    const middle = y + HEIGHT / 2
    const on = isEnd
      ? `M${x + WIDTH / 2} ${y + HEIGHT} v${GAP.y} H${WIDTH / 2} v${GAP.y - 2}`
      : `M${x + WIDTH} ${middle} h${GAP.x - 2}`
    return [box(node, x, y), ...(index < nodes.length - 1 ? [arrow(on)] : [])]
  })
  return { parts, height: TOP + Math.ceil(nodes.length / PER_LINE) * step.y }
}

function drawExecution({ nodes, edges }: Graph, top: number): { parts: string[]; width: number; height: number } {
  const filled: number[] = []
  const places = new Map<string, { x: number; y: number }>()
  for (const { id, column } of nodes.values()) {
    const line = filled[column] ?? 0
    filled[column] = line + 1
    places.set(id, { x: column * (WIDTH + GAP.x), y: top + TOP + line * (HEIGHT + GAP.y) })
  }
  const parts = [...nodes.values()].map((node) => {
    const { x, y } = places.get(node.id) ?? { x: 0, y: 0 }
    return box(node, x, y)
  })
  const lines = edges.flatMap(([from, to]) => {
    const [start, end] = [places.get(from), places.get(to)]
    if (!start || !end) return []
    const [x1, y1, x2, y2] = [start.x + WIDTH, start.y + HEIGHT / 2, end.x - 2, end.y + HEIGHT / 2]
    return [arrow(`M${x1} ${y1} C${x1 + GAP.x / 2} ${y1} ${x2 - GAP.x / 2} ${y2} ${x2} ${y2}`)]
  })
  const height = top + TOP + Math.max(...filled) * (HEIGHT + GAP.y)
  return { parts: [...lines, ...parts], width: filled.length * (WIDTH + GAP.x) - GAP.x, height }
}

/** The picture. `endpointSource` is the text of `shared/edge/endpoint.ts`. */
export function pathsPicture(surface: Surface, endpointSource: string): string {
  const request = drawRequest(requestNodes(layersOf(endpointSource)))
  const execution = drawExecution(executionGraph(surface), request.height + GAP.y)
  const width = Math.max(execution.width, PER_LINE * (WIDTH + GAP.x) - GAP.x)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 -8 ${width + 32} ${execution.height + 16}" font-family="system-ui, sans-serif" font-size="12" fill="#1b1f24" role="img" aria-label="The path of a request, and what an execution sets off">`,
    '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#767d86"/></marker></defs>',
    `<rect x="-16" y="-8" width="${width + 32}" height="${execution.height + 16}" fill="#ffffff"/>`,
    heading('A request: the layers of shared/edge/endpoint.ts, the handler, the verb', 16),
    ...request.parts,
    heading('An execution: what follows its commit, by the rows of functions/workers.ts', request.height + GAP.y + 16),
    ...execution.parts,
    '</svg>\n',
  ].join('\n')
}
