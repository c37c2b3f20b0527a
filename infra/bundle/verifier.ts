// Bundles the offline verifier into one file that needs only Node, for every export pack. It is not minified, so that its
// users can read it.
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
