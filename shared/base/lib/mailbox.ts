// E-mail addresses, by the one grammar for every place that takes, compares or shows one: the mailboxes of RFC 5321 with names of hosts
// in any script (RFC 5890). Addresses are stored and mailed with the host in ASCII, and shown as people write it. Pure.
import { domainToASCII, domainToUnicode } from 'node:url'

/** RFC 5321, section 4.5.3.1.1, in octets. */
const LOCAL_MAX = 64
/** RFC 5321, section 4.5.3.1.3: a path has at most 256 octets, and two of them are the brackets around the address. */
export const MAILBOX_MAX = 254
const HOST_MAX = 253

/** The dot-string of RFC 5321, section 4.1.2. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** No name of a host ends so: it would be read as an IP address. */
const NUMBER = /^\d+$/
/** What may be in the host as people write it. The parser would silently cut the host at other ASCII characters, or decode them. */
const WRITTEN = /^[a-z0-9.\-\u0080-\u{10ffff}]+$/iu
const ASCII = /^[a-z0-9.-]+$/i

/** The host as DNS knows it: ASCII, lower case. Undefined for anything but a name of at least two labels. */
function asciiHost(written: string): string | undefined {
  if (!WRITTEN.test(written)) return undefined
  const lower = written.toLowerCase()
  const isPlain = ASCII.test(written) && !lower.split('.').some((label) => label.startsWith('xn--'))
  const host = isPlain ? lower : domainToASCII(lower)
  const labels = host.split('.')
  const isName =
    labels.length > 1 &&
    host.length <= HOST_MAX &&
    labels.every((label) => LABEL.test(label)) &&
    !NUMBER.test(labels.at(-1) ?? '')
  return isName ? host : undefined
}

const TEXT = "[A-Za-z0-9_!#$%&'*+/=?^`{|}~\\-]+"
/** Of a host in any script. Written by what it excludes, because engines spell characters beyond ASCII in different ways. */
const NAME = String.raw`[^\x00-,./:-@\[-\x60{-\x7f]+`

/** What of the grammar a regular expression of every dialect can say, for the reference. `isMailbox` says the rest. */
export const MAILBOX_SHAPE = new RegExp(String.raw`^${TEXT}(?:\.${TEXT})*@${NAME}(?:\.${NAME})*$`)

const partsOf = (text: string) => {
  const at = text.lastIndexOf('@')
  return at < 0 ? undefined : { local: text.slice(0, at), host: text.slice(at + 1) }
}

/**
 * The one form in which an address is stored, compared and mailed: the local part as it was written, because only its host may
 * say what case means there, and the host in ASCII and lower case. Undefined for text that is not an address which mail can be
 * sent to: quoted local parts, local parts beyond ASCII and IP addresses as hosts are not taken.
 */
export function canonicalMailbox(text: string): string | undefined {
  const { local, host } = partsOf(text) ?? {}
  if (local === undefined || host === undefined || local.length > LOCAL_MAX || !LOCAL.test(local)) return undefined
  const ascii = asciiHost(host)
  if (ascii === undefined) return undefined
  const address = `${local}@${ascii}`
  return address.length <= MAILBOX_MAX ? address : undefined
}

export const isMailbox = (text: string): boolean => canonicalMailbox(text) !== undefined

/** As people write it: the host in its own script. Text that is no address stays as it is. */
export function writtenMailbox(address: string): string {
  const { local, host } = partsOf(address) ?? {}
  if (local === undefined || host === undefined || !/(?:^|\.)xn--/i.test(host)) return address
  return `${local}@${domainToUnicode(host) || host}`
}

/** The host of an address in the form in which domains are stored. Text that is no address gives what is behind the last `@`. */
export function mailHost(address: string): string {
  const host = partsOf(address)?.host ?? address
  return asciiHost(host) ?? host.toLowerCase()
}
