import { expect, test } from 'vitest'
import { canonicalMailbox, MAILBOX_SHAPE, mailHost, writtenMailbox } from '../../../../shared/base/lib/mailbox.ts'

test.each([
  ["o'brien@example.com", "o'brien@example.com"],
  ['r&d/eu=west!1@example.com', 'r&d/eu=west!1@example.com'],
  ['Ada@Example.COM', 'Ada@example.com'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@XN--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['ada@例え。jp', 'ada@xn--r8jz45g.jp'],
  ['ada@пример.рф', 'ada@xn--e1afmkfd.xn--p1ai'],
])('the address %s is stored as %s', (written, stored) => {
  expect(written).toMatch(MAILBOX_SHAPE)
  expect(canonicalMailbox(written)).toBe(stored)
})

test.each([
  ['no @', 'ada.example.com'],
  ['no local part', '@example.com'],
  ['two dots in a row', 'a..b@example.com'],
  ['a dot at the end of the local part', 'ada.@example.com'],
  ['a quoted local part', '"a b"@example.com'],
  ['a local part beyond ASCII', 'jürgen@example.com'],
  ['a space', 'ada @example.com'],
  ['a line end', 'ada@example.com\r\nBcc: eve@example.com'],
  ['a host of one label', 'ada@localhost'],
  ['an IP address', 'ada@192.0.2.1'],
  ['an IP address in brackets', 'ada@[192.0.2.1]'],
  ['a label that ends with a hyphen', 'ada@example-.com'],
  ['a path behind the host', 'ada@bücher.example/x'],
  ['a slash in full width', 'ada@example.com／x'],
  ['two addresses', 'ada@example.com,eve@example.com'],
  ['a local part of 65 characters', `${'a'.repeat(65)}@example.com`],
  ['255 characters in all', `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.com`],
  ['a host that is too long only in ASCII', `ada@${`${'ü'.repeat(40)}.`.repeat(6)}example`],
])('text with %s is no address', (_, text) => {
  expect(canonicalMailbox(text)).toBeUndefined()
})

test('an address of 254 characters is taken', () => {
  const longest = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`
  expect(longest).toHaveLength(254)
  expect(canonicalMailbox(longest)).toBe(longest)
})

test('an address is shown with its host in the script of its people', () => {
  expect(writtenMailbox('ada@xn--bcher-kva.example')).toBe('ada@bücher.example')
  expect(writtenMailbox("o'brien@example.com")).toBe("o'brien@example.com")
  expect(writtenMailbox('no address')).toBe('no address')
})

test('both forms of an address have one host', () => {
  expect(mailHost('ada@Bücher.example')).toBe('xn--bcher-kva.example')
  expect(mailHost('ada@XN--bcher-kva.example')).toBe('xn--bcher-kva.example')
})
