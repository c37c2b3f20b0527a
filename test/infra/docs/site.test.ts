// The pages of the documentation as the build makes them.
import { beforeAll, describe, expect, test } from 'vitest'
import { GUIDES } from '../../../infra/docs/guides.ts'
import type { Document } from '../../../infra/docs/openapi-types.ts'
import { docsSite } from '../../../infra/docs/site.ts'
import { openapiDocument } from '../../../infra/openapi/document.ts'
import { FACTS } from '../../../shared/govern/governance/conditions/fact-list.ts'
import { OPS } from '../../../shared/govern/governance/conditions/operators.ts'
import type { Site } from '../../../shared/base/wire/site.ts'

/** Of a page, before compression. */
const KILOBYTES_MAX = 260
const NODES_MAX = 6_000

let document: Document
let site: Site
let pages: [name: string, text: string][]
beforeAll(async () => {
  document = JSON.parse(JSON.stringify(await openapiDocument())) as Document
  site = await docsSite(document)
  pages = Object.entries(site).flatMap(([name, { type, text }]) => (type.startsWith('text/html') ? [[name, text]] : []))
})

const textOf = (name: string) => site[name]?.text ?? ''
const valuesOf = (text: string, attribute: string) =>
  [...text.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
const problems = (find: (text: string, name: string) => string[]) =>
  pages.flatMap(([name, text]) => find(text, name).map((problem) => `${name}: ${problem}`))

/** An address below a stage as name of a file and fragment; undefined for other places. */
function placeOf(from: string, href: string): { name: string; fragment: string } | undefined {
  const { origin, pathname, hash } = new URL(href, `https://docs.example/live/docs${from && `/${from}`}`)
  if (origin !== 'https://docs.example') return undefined
  return { name: pathname.replace(/^\/live\/docs\/?/, ''), fragment: decodeURIComponent(hash.slice(1)) }
}

test('each operation and each type of event stands on exactly one page, once', () => {
  const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  const ids = pages.flatMap(([, text]) => valuesOf(text, 'id'))

  expect(operations.length).toBeGreaterThan(300)
  expect(operations.filter((id) => ids.filter((one) => one === id).length !== 1)).toEqual([])
})

test('every link leads to a page and, where it names one, to a place on it', () => {
  const isThere = (from: string, href: string) => {
    const place = placeOf(from, href)
    if (!place || place.name === '/live/openapi.json') return true
    if (!Object.hasOwn(site, place.name)) return false
    return place.fragment === '' || valuesOf(textOf(place.name), 'id').includes(place.fragment)
  }

  expect(
    problems((text, name) =>
      [...valuesOf(text, 'href'), ...valuesOf(text, 'src')].filter((link) => !isThere(name, link)),
    ),
  ).toEqual([])
})

test('what the search finds is there', () => {
  const entries = JSON.parse(textOf('search.json')) as { page: string }[]
  const lost = entries.filter(({ page }) => {
    const [name = '', fragment] = page.split('#')
    return !site[name] || (fragment !== undefined && !valuesOf(textOf(name), 'id').includes(fragment))
  })

  expect(entries.length).toBeGreaterThan(300)
  expect(lost).toEqual([])
})

test('no id stands twice on a page', () => {
  expect(problems((text) => valuesOf(text, 'id').filter((id, at, all) => all.indexOf(id) !== at))).toEqual([])
})

test('no page holds a script, a style or a handler of its own, or loads from another host', () => {
  const found = (text: string) =>
    text.match(/<script(?! src="[\w/.]+" defer><)[^>]*>|<style|<[^>]* (?:style|on\w+)=|src="http/g) ?? []

  expect(problems((text) => [...found(text)])).toEqual([])
})

test('every page has one title, one main part, a name for its language, and headings without gaps at the top', () => {
  const lacks = (text: string) =>
    [/<html lang="en">/g, /<main /g, /<nav /g, /<h1[ >]/g].filter((part) => text.match(part)?.length !== 1).map(String)

  expect(problems(lacks)).toEqual([])
})

test('pages are small', () => {
  const large = (text: string) => {
    const [kilobytes, nodes] = [Buffer.byteLength(text) / 1_000, text.match(/<[a-z]/g)?.length ?? 0]
    return kilobytes > KILOBYTES_MAX || nodes > NODES_MAX ? [`${kilobytes} KB, ${nodes} elements`] : []
  }

  expect(problems(large)).toEqual([])
  expect(Buffer.byteLength(textOf('script.js')) + Buffer.byteLength(textOf('style.css'))).toBeLessThan(16_000)
})

test('guides stand before the reference, and the one about policies names every fact and operator', () => {
  const first = textOf('')
  const policies = textOf('guide-policies')
  const names = [...Object.keys(FACTS), ...OPS]

  expect(GUIDES.map(({ name }) => first.indexOf(`docs/${name}`))).not.toContain(-1)
  expect(first.indexOf('id="guides"')).toBeLessThan(first.indexOf('id="reference"'))
  expect(names.filter((name) => !policies.includes(`<code>${name}</code>`))).toEqual([])
})

describe('contrast', () => {
  const channel = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  const luminance = (colour: string) => {
    const full = colour.length === 4 ? colour.replaceAll(/[\da-f]/g, '$&$&') : colour
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => channel(parseInt(full.slice(at, at + 2), 16) / 255))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const ratio = (one: string, other: string) => {
    const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
    return (light + 0.05) / (dark + 0.05)
  }
  const colours = () =>
    new Map(
      [...textOf('style.css').matchAll(/--(\w+): light-dark\((#\w+), (#\w+)\)/g)].map(
        ([, name = '', light = '', dark = '']) => [name, [light, dark]],
      ),
    )

  test.each(['text', 'soft', 'accent', 'alert'])('of %s on both grounds is at least 4.5, light and dark', (name) => {
    const all = colours()
    const ratios = ['back', 'card'].flatMap((ground) =>
      [0, 1].map((at) => ratio(all.get(name)?.[at] ?? '', all.get(ground)?.[at] ?? '')),
    )

    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5)
  })

  test('is computed as WCAG does: black on white is 21', () => {
    expect(ratio('#000', '#ffffff')).toBeCloseTo(21)
  })
})
