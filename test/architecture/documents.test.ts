// The pages beside the code: what they link to is there, and no comment or page refers to another document.
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commentsOf, missingDocuments, readPages } from './support/documents.ts'
import { parse, readSources, ROOT } from './support/source.ts'

const texts = readPages()
const pages = texts.map(({ path }) => path)

const linksOf = (text: string) => [...text.matchAll(/\]\(([^)#:\s]+)\)/g)].map(([, link = '']) => link)

test('no page links to a file that does not exist', () => {
  const broken = texts.flatMap(({ path, text }) =>
    linksOf(text)
      .filter((link) => !existsSync(join(ROOT, dirname(path), link)))
      .map((link) => `${path} links to ${link}`),
  )

  expect(pages.length).toBeGreaterThan(60)
  expect(broken).toEqual([])
})

test('the map of shared/README.md names every room', () => {
  const map = texts.find(({ path }) => path === 'shared/README.md')?.text ?? ''
  const rooms = new Set(readSources().flatMap(({ path }) => /^shared\/\w+\/([\w-]+)\//.exec(path)?.[1] ?? []))

  expect(rooms.size).toBeGreaterThan(80)
  expect([...rooms].filter((room) => !map.includes(`\`${room}\``))).toEqual([])
})

/** Places in a page by their headings, as GitHub names them. */
const placesIn = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Links to a place of a page: the page, empty for the same one, and the place. */
const fragmentsOf = (text: string) =>
  [...text.matchAll(/\]\(([^)#:\s]*)#([^)\s]+)\)/g)].map(([, page = '', place = '']) => [page, place] as const)

test('no page links to a place that does not exist', () => {
  const places = new Map(texts.map(({ path, text }) => [path, placesIn(text)]))
  const broken = texts.flatMap(({ path, text }) =>
    fragmentsOf(text)
      .filter(([page, place]) => !places.get(page === '' ? path : join(dirname(path), page))?.includes(place))
      .map(([page, place]) => `${path} links to ${page}#${place}`),
  )

  expect(broken).toEqual([])
})

test('places and links to them are found', () => {
  expect(placesIn('# A (b): c’s `d`\n\ntext')).toEqual(['a-b-cs-d'])
  expect(fragmentsOf('[a](b.md#c), [d](#e), [f](https://example.com#g)')).toEqual([
    ['b.md', 'c'],
    ['', 'e'],
  ])
})

/** Names of modules, with as much of their path as the page gives. A name with a variable part is a pattern. */
const modulesIn = (text: string) => [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)

test('no page names a module that does not exist', () => {
  const modules = globSync('{bin,functions,infra,shared,test}/**/*.ts', { cwd: ROOT })
  const isThere = (name: string) => modules.some((path) => path === name || path.endsWith(`/${name}`))
  const missing = texts.flatMap(({ path, text }) =>
    modulesIn(text)
      .filter((name) => !isThere(name) && !existsSync(join(ROOT, dirname(path), name)))
      .map((name) => `${path} names ${name}`),
  )

  expect(missing).toEqual([])
})

test('names of modules are found, patterns apart', () => {
  expect(modulesIn('`a/b.ts`, `<noun>.ts`, `write-*.ts`, `c.md`')).toEqual(['a/b.ts'])
})

test('links are found, those to other places apart', () => {
  expect(linksOf('[a](b/c.md), [d](https://example.com), [e](#part)')).toEqual(['b/c.md'])
})

describe('a document that a reader cannot open', () => {
  test('is referred to by no comment', () => {
    const passages = readSources().flatMap(commentsOf)

    expect(passages.flatMap((passage) => missingDocuments(passage, pages))).toEqual([])
  })

  test('is referred to by no page', () => {
    const passages = texts.map((page) => ({ ...page, line: 1 }))

    expect(passages.flatMap((passage) => missingDocuments(passage, pages))).toEqual([])
  })

  const known = ['shared/a/README.md', 'infra/OPERATE.md']
  const inComment = (text: string) =>
    commentsOf(parse('shared/a/b.ts', text)).flatMap((one) => missingDocuments(one, known))

  test.each([
    ['// As plan.md has it.', 1, 'plan.md'],
    ['\n/**\n * See shared/b/README.md, "Words".\n */\nconst a = 1', 3, 'shared/b/README.md'],
  ])('is found in %j', (text, line, name) => {
    expect(inComment(text)).toEqual([`shared/a/b.ts:${line} refers to ${name}, which is not in the repository`])
  })

  test.each(['// See README.md and `infra/OPERATE.md`.', '// https://example.com/plan.md', `const a = 'plan.md'`])(
    'is not found in %s',
    (text) => {
      expect(inComment(text)).toEqual([])
    },
  )
})
