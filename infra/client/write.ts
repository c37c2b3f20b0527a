// Writes the client as a package: readable sources and the compiled output.
import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openapiDocument } from '../openapi/document.ts'
import { clientSource } from './source.ts'

const COMPILER = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
const SERVICE = fileURLToPath(new URL('../../package.json', import.meta.url))
const RUNTIME = fileURLToPath(new URL('runtime.ts', import.meta.url))

/** Name and version are those of the service. */
async function packageJson(): Promise<string> {
  const { name, version } = JSON.parse(await readFile(SERVICE, 'utf8'))
  const entry = { types: './index.d.ts', default: './index.js' }
  return JSON.stringify({ name: `${name}-client`, version, type: 'module', exports: { '.': entry } }, null, 2)
}

const SETTINGS = {
  files: ['index.ts'],
  compilerOptions: {
    rootDir: '.',
    outDir: '..',
    declaration: true,
    strict: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    module: 'nodenext',
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  },
}

/** Replaces the folder. Throws when the generated sources do not compile. */
export async function writeClient(folder: string): Promise<void> {
  const sources = join(folder, 'src')
  await rm(folder, { recursive: true, force: true })
  await mkdir(sources, { recursive: true })
  await writeFile(join(folder, 'package.json'), await packageJson())
  await writeFile(join(sources, 'tsconfig.json'), JSON.stringify(SETTINGS, null, 2))
  await writeFile(join(sources, 'index.ts'), clientSource(await openapiDocument()))
  await copyFile(RUNTIME, join(sources, 'runtime.ts'))
  await promisify(execFile)(COMPILER, ['--project', sources])
}
