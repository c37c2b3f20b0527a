import { describe, expect, test } from 'vitest'
import {
  childNamed,
  childrenNamed,
  type Element,
  everyElement,
  readXml,
  textOf,
  xml,
  XmlError,
} from '../../../../shared/identity/sso/saml/xml.ts'

const namesOf = (root: Element) => [...everyElement(root)].map(({ name }) => name)

describe('reading XML', () => {
  test('gives elements in document order, with their namespaces and texts', () => {
    const root = readXml(`<?xml version="1.0" encoding="UTF-8"?>
      <a xmlns="urn:a" xmlns:b="urn:b"><b:c x="1 &amp; 2" b:y='"'>text &lt;&#65;&#x42;</b:c><c xmlns=""/></a>\n`)

    expect(namesOf(root)).toEqual(['a', 'c', 'c'])
    const [first, second] = root.children
    expect([root.namespace, first?.namespace, second?.namespace]).toEqual(['urn:a', 'urn:b', ''])
    expect(first && [...first.attributes]).toEqual([
      ['x', '1 & 2'],
      ['b:y', '"'],
    ])
    expect(textOf(first)).toBe('text <AB')
    expect(childNamed(root, 'urn:b', 'c')).toBe(first)
    expect(childrenNamed(root, 'urn:a', 'c')).toEqual([])
  })

  test.each([
    ['a document type', '<!DOCTYPE a><a/>'],
    ['an entity declaration', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an unknown entity', '<a>&b;</a>'],
    ['a bare ampersand', '<a>b & c</a>'],
    ['a comment', '<a><!-- --></a>'],
    ['a comment around an element', '<!-- --><a/>'],
    ['a processing instruction', '<a><?b c?></a>'],
    ['a second declaration', '<?xml version="1.0"?><?xml version="1.0"?><a/>'],
    ['CDATA', '<a><![CDATA[b]]></a>'],
    ['two roots', '<a/><b/>'],
    ['no root', '  '],
    ['text beside the root', '<a/>b'],
    ['an open element', '<a><b></a>'],
    ['an end without a beginning', '</a>'],
    ['an attribute twice', '<a b="1" b="2"/>'],
    ['an attribute without quotes', '<a b=1/>'],
    ['a < in an attribute', '<a b="<"/>'],
    ['a prefix that nobody declared', '<a:b/>'],
    ['control characters', '<a>\u0000</a>'],
    ['depth without end', `${'<a>'.repeat(60)}${'</a>'.repeat(60)}`],
    ['namespaces without end', `<a ${Array.from({ length: 101 }, (_, n) => `xmlns:n${n}="urn:n"`).join(' ')}/>`],
    ['half a character', '<a>&#xD83D;</a>'],
    ['elements without end', `<a>${'<b/>'.repeat(20_001)}</a>`],
  ])('refuses %s', (_, source) => {
    expect(() => readXml(source)).toThrow(XmlError)
  })

  test('skips comments where that is asked, and nothing else', () => {
    expect(namesOf(readXml('<!-- a --><a><!-- <x/> --><b/></a>', { comments: 'skipped' }))).toEqual(['a', 'b'])
    expect(() => readXml('<a><!-- </a>', { comments: 'skipped' })).toThrow(XmlError)
  })

  test('takes no longer for hostile text than for other text', () => {
    const hostile = `<a ${'b="" '.repeat(50_000)}`

    expect(() => readXml(hostile)).toThrow(XmlError)
    expect(() => readXml('<'.repeat(100_000))).toThrow(XmlError)
    expect(() => readXml(`<a${' '.repeat(100_000)}`)).toThrow(XmlError)
  })

  test('of two children with one name says neither', () => {
    expect(() => childNamed(readXml('<a><b/><b/></a>'), '', 'b')).toThrow(XmlError)
  })

  test('gives no text of an element that holds others', () => {
    expect(textOf(readXml('<a>b<c/>d</a>'))).toBeUndefined()
    expect(textOf(readXml('<a> </a>'))).toBeUndefined()
    expect(textOf(undefined)).toBeUndefined()
  })
})

test('writing XML escapes what is put in', () => {
  const value = `<&>"`

  expect(xml`<a b="${value}">${value}</a>`).toBe('<a b="&lt;&amp;&gt;&quot;">&lt;&amp;&gt;&quot;</a>')
  expect(textOf(readXml(xml`<a b="${value}">${value}</a>`))).toBe(value)
})
