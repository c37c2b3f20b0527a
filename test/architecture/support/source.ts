// The project's sources as syntax trees, made by the parser that vitest brings. A rule looks at sources only, so each can be
// shown to fail on a made-up one.
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const FOLDERS = ['bin', 'infra', 'functions', 'shared', 'test']

/** A node of the tree (ESTree with TypeScript); which members it has follows from its type. */
export type Node = { type: string; start: number; end: number; [member: string]: unknown }
type Comment = { value: string; start: number; end: number }
type Parsed = { program: Node; comments: Comment[]; errors: { message: string }[] }

export type Source = {
  /** Relative to the project, with slashes. */
  path: string
  text: string
  /** Every node, parents before their children. */
  nodes: Node[]
  comments: Comment[]
  /** From 1. */
  lineAt: (offset: number) => number
}

const fromVitest = createRequire(createRequire(import.meta.url).resolve('vitest/package.json'))
const fromVite = createRequire(fromVitest.resolve('vite/package.json'))
const { parseSync }: { parseSync: (file: string, text: string) => Parsed } = fromVite('rolldown/utils')

/** Throws on text that is no TypeScript. */
export function parse(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  return { path, text, nodes: nodesIn(program), comments, lineAt }
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function nodesIn(program: Node): Node[] {
  const nodes: Node[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (isNode(value)) {
      nodes.push(value)
      for (const member of Object.values(value)) visit(member)
    }
  }
  visit(program)
  return nodes
}

let sources: Source[] | undefined

/** Every source, parsed once in a process. */
export function readSources(): Source[] {
  const pattern = `{${FOLDERS.join(',')}}/**/*.ts`
  const paths = () => globSync(pattern, { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'))
  return (sources ??= paths()
    .toSorted()
    .map((path) => parse(path, readFileSync(join(ROOT, path), 'utf8'))))
}

/** One place that breaks a rule, as an editor can open it. */
export const finding = ({ path, lineAt }: Source, { start }: { start: number }, problem: string): string =>
  `${path}:${lineAt(start)} ${problem}`
