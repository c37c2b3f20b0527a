// The offline verifier as one file that needs Node and nothing else: a part of every export pack. Not minified, since those
// who rely on it should be able to read it.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export async function bundleVerifier(outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('../../bin/verify-evidence.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  })
}
