// Runs before `npm start` and `npm test` on any Node from 20 on: installs the dependencies when they are missing or older
// than the lock file, and makes sure that the pinned Node, which all scripts run on, is there.
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = (...args) => execFileSync('npm', args, { cwd: root, stdio: 'inherit' })
const changedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

// npm writes this file at the end of an installation.
if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json'))
  run('ci', '--no-audit', '--no-fund', '--loglevel=error')

// Where npm is told to run no install scripts, Node's own was left out.
if (!existsSync(join(root, 'node_modules/node/bin/node'))) run('rebuild', 'node', '--ignore-scripts=false')
