// Finds the project's own sources and what Node brings without Node's search, and in tests without the runner's hook, which
// sends a message for each import.
import { isBuiltin, registerHooks } from 'node:module'

// A process loads this module anew for each file that it tests, and hooks pile up.
const registered: { resolves?: true } = ((globalThis as { __sources?: object }).__sources ??= {})

if (!registered.resolves)
  registerHooks({
    resolve(specifier, { parentURL }, nextResolve) {
      if (isBuiltin(specifier)) return { url: urlOf(specifier), format: 'builtin', shortCircuit: true }
      if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || !parentURL) return nextResolve(specifier)
      return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true }
    },
  })
registered.resolves = true

function urlOf(builtin: string) {
  return builtin.startsWith('node:') ? builtin : `node:${builtin}`
}
