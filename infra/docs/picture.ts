// `shared/paths.svg`: the path of a request and what follows an execution, drawn from the rows, so that the picture cannot differ
// from what runs. `npm run docs:picture` writes it, and a test compares it.
import type { Surface } from '../surface.ts'
import { executionGraph, type Graph, layersOf, type Node, requestNodes } from './paths.ts'

const WIDTH = 200
const HEIGHT = 42
const GAP = { x: 40, y: 14 }
const PER_LINE = 5
const TOP = 34

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
