// The pages beside the code: what they link to is there.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { FOLDERS, ROOT } from './support/source.ts'

const pages = globSync([`{${FOLDERS.join(',')},.github}/**/*.md`, '*.md'], { cwd: ROOT })

const linksOf = (text: string) => [...text.matchAll(/\]\(([^)#:\s]+)\)/g)].map(([, link = '']) => link)

test('no page links to a file that does not exist', () => {
  const broken = pages.flatMap((page) =>
    linksOf(readFileSync(join(ROOT, page), 'utf8'))
      .filter((link) => !existsSync(join(ROOT, dirname(page), link)))
      .map((link) => `${page} links to ${link}`),
  )

  expect(pages.length).toBeGreaterThan(60)
  expect(broken).toEqual([])
})

test('links are found, those to other places apart', () => {
  expect(linksOf('[a](b/c.md), [d](https://example.com), [e](#part)')).toEqual(['b/c.md'])
})
