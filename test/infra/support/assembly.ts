// The service synthesised to templates, and a way to look at all of them as one.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { codeOf } from '../../../infra/bundle/bundle.ts'
import { readOptions } from '../../../infra/options.ts'
import { ServiceStack } from '../../../infra/stacks/service.ts'
import { byArea, type Surface, SURFACE } from '../../../infra/surface.ts'
import { asObject, asText, attributeOf, referenceTo, type JsonObject, resolver, type Template } from './resolve.ts'

/** `ref`: what a reference to the resource resolves to. */
export type Found = { id: string; ref: string; path: string; type: string; properties: JsonObject }

export type Assembly = {
  /** File name → template as written, and its text. */
  templates: ReadonlyMap<string, Template>
  texts: ReadonlyMap<string, string>
  /** Every resource of the given type (default: all) with its references resolved. */
  all: (type?: string) => Found[]
  /** What a reference to a root resource resolves to, by its construct path below the stack. */
  of: (path: string, attribute?: string) => string
}

const STACK = 'countersign'

/** What the tests deploy with unless they say otherwise: without a sender nobody would have the right to send. */
const USUAL = { mailFrom: 'Countersign <no-reply@mail.example>' }

/** Empty code for each function: templates do not depend on what the bundles hold. */
function emptyCode(surface: Surface): string {
  const dist = mkdtempSync(join(tmpdir(), 'countersign-code-'))
  for (const row of [...byArea(surface).values()].flat()) {
    mkdirSync(codeOf(row, dist), { recursive: true })
    writeFileSync(join(codeOf(row, dist), 'index.mjs'), '')
  }
  return dist
}

const { context: CONTEXT }: { context: object } = JSON.parse(
  readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'),
)
const SYNTH = {
  ...CONTEXT,
  'aws:cdk:disable-asset-staging': true,
  'aws:cdk:enable-asset-metadata': true,
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:disable-stack-trace': true,
}
/** Validation by CDK itself takes a third of the time and here only warns: service.test.ts asks the same validator about each template. */
const FAST = { builtinCloudFormationValidation: false, treeMetadata: false, analyticsReporting: false }

/** An app as `synthesise` makes it; a plain one starts CDK's own validator, a process of many seconds. */
export const newApp = (outdir?: string): App => new App({ ...FAST, ...(outdir && { outdir }), context: SYNTH })

function write(surface: Surface, context: Record<string, unknown>): Map<string, string> {
  const dist = emptyCode(surface)
  const outdir = mkdtempSync(join(tmpdir(), 'countersign-synth-'))
  try {
    const app = newApp(outdir)
    const given: Record<string, unknown> = { ...USUAL, ...context }
    const options = readOptions((name) => given[name])
    const env = { account: '111122223333', region: 'eu-west-1' }
    new ServiceStack(app, STACK, { surface, options, dist, ...(options.cdn && { env }) })
    // Throws on a finding that nothing acknowledges, as `npm run synth` does. The usual options are not asked again: they set less
    // than those of areas.test.ts, and every process synthesises them.
    if (Object.keys(context).length > 0)
      Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
    app.synth()
    const files = readdirSync(outdir).filter((file) => file.endsWith('.template.json'))
    return new Map(files.map((file) => [file, readFileSync(join(outdir, file), 'utf8')]))
  } finally {
    for (const folder of [dist, outdir]) rmSync(folder, { recursive: true })
  }
}

const parsed = (text: string): Template => JSON.parse(text)

/** Few routes and all workers: shows what an option does for a third of the cost. */
export const SLICE: Surface = {
  routes: SURFACE.routes.filter(({ area }) => area === 'protocol' || area === 'approvals'),
  workers: SURFACE.workers,
}

/** By surface and options: test files of one process ask for the same again. */
const assemblies = new Map<Surface, Map<string, Assembly>>()

/** Synthesises a surface, by default the real one, with options as context gives them. */
export function synthesise(surface: Surface = SURFACE, context: Record<string, unknown> = {}): Assembly {
  const ofSurface = assemblies.get(surface) ?? new Map<string, Assembly>()
  assemblies.set(surface, ofSurface)
  const key = JSON.stringify(context, (_, value: unknown) => value ?? null) // what is left out differs from what is not given
  const assembly = ofSurface.get(key) ?? assemble(surface, context)
  ofSurface.set(key, assembly)
  return assembly
}

function assemble(surface: Surface, context: Record<string, unknown>): Assembly {
  const texts = write(surface, context)
  const templates = new Map([...texts].map(([file, text]) => [file, parsed(text)]))
  const resolve = resolver(templates)
  const found = [...templates].flatMap(([file, { Resources }]) =>
    Object.entries(Resources).map(([id, resource]) => ({
      id,
      ref: referenceTo(id, file),
      path: asText(resource.Metadata?.['aws:cdk:path']),
      type: resource.Type,
      properties: asObject(resolve(resource.Properties ?? {}, file)),
    })),
  )
  return {
    templates,
    texts,
    all: (type) => found.filter((resource) => !type || resource.type === type),
    of: (path, attribute) => {
      const resource = found.find((one) => one.path === `${STACK}/${path}/Resource`)
      if (!resource) throw new Error(`no resource at ${path}`)
      return attribute ? attributeOf(resource.ref, attribute) : resource.ref
    },
  }
}
