// Runs before `npm start` and `npm test` on any Node from 20 on: installs the dependencies when they are missing or not those
// of the lock file, and makes sure that the pinned Node, which all scripts run on, and the local database are there.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']
const run = (...args) => execFileSync('npm', args, { cwd: root, stdio: 'inherit' })
const packagesIn = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages ?? {}

const refuse = (...lines) => {
  for (const line of lines) console.error(line)
  process.exit(1)
}

if (process.platform === 'win32')
  refuse(
    'Countersign does not run on Windows itself. Open this folder in WSL (Windows Subsystem for Linux) and try again.',
  )

/**
 * Compares each package's version and hash in the lock file with those that npm noted at the end of its installation. Times
 * would not do: in a fresh clone the lock file is newer than any installation. npm leaves out optional packages of other platforms.
 */
function isInstalled() {
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return false
  const there = packagesIn('node_modules/.package-lock.json')
  return Object.entries(packagesIn('package-lock.json')).every(([path, { version, integrity, optional }]) => {
    const found = there[path]
    if (path === '' || (optional && !found)) return true
    return found?.version === version && found.integrity === integrity
  })
}

if (!isInstalled()) run('ci', ...QUIET)

// Where npm is told to run no install scripts, Node's own was left out.
if (!existsSync(join(root, 'node_modules/node/bin/node'))) run('rebuild', 'node', '--ignore-scripts=false')

const database = `@dynoxide/${process.platform}-${process.arch}`
const onPath = () => (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'dynoxide')))
const hasDatabase = () => existsSync(join(root, 'node_modules', database, 'dynoxide')) || onPath()

// The lock file names the package of one platform only: `npm ci` fails when a registry lacks any that a lock file names.
if (!process.env.DYNAMODB_ENDPOINT && !hasDatabase()) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const version = Object.entries(optionalDependencies).find(([name]) => name.startsWith('@dynoxide/'))?.[1]
  try {
    run('install', '--no-save', ...QUIET, `${database}@${version}`)
  } catch {
    refuse(
      `The local database has no package for this platform: ${database} ${version} cannot be installed.`,
      `Put dynoxide ${version} on the PATH (for example: cargo install dynoxide-rs --version ${version}), or set DYNAMODB_ENDPOINT to a DynamoDB Local.`,
    )
  }
}
