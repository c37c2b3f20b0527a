// The only script of the documentation: search, copying, and trying an operation. Text goes into the page as text alone. The test
// key stays in the session of this tab and is sent to the API of this deployment only.

const KEY = 'countersign-test-key'
const make = (name, attributes = {}, ...children) => {
  const element = Object.assign(document.createElement(name), attributes)
  element.append(...children)
  return element
}

// ---- search
const field = document.querySelector('#search')
const found = document.querySelector('#found')
const tally = document.querySelector('#found-status')
let loading
/** Fetched once, so that no late answer replaces what was found for a longer text. */
const load = () => (loading ??= fetch(field.dataset.index).then((answer) => answer.json()))

/** How well all words fit: titles count more than descriptions; 0 when one is missing. */
function score({ title, text }, words) {
  let sum = 0
  for (const word of words) {
    const inTitle = title.toLowerCase().includes(word)
    if (!inTitle && !text.toLowerCase().includes(word)) return 0
    sum += inTitle ? 3 : 1
  }
  return sum
}

async function search() {
  const entries = await load()
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return show([])
  const ranked = entries.map((entry) => ({ entry, points: score(entry, words) })).filter(({ points }) => points > 0)
  show(
    ranked
      .sort((one, other) => other.points - one.points)
      .slice(0, 12)
      .map(({ entry }) => entry),
    true,
  )
}

function show(list, asked) {
  tally.textContent = asked ? `${list.length === 0 ? 'Nothing' : list.length} found` : ''
  const root = field.dataset.root
  const line = ({ title, text, page }) =>
    make('li', {}, make('a', { href: root + page }, title, make('small', { textContent: text })))
  found.replaceChildren(...list.map(line))
  if (asked && list.length === 0) found.append(make('li', { textContent: 'Nothing found. Try another word.' }))
}

field.closest('search').hidden = false
field.addEventListener('input', search)
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault()
    field.focus()
  } else if (event.key === 'Escape' && found.childElementCount > 0) {
    show([])
    field.focus()
  }
})

// ---- copying
for (const pre of document.querySelectorAll('pre')) {
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  const text = pre.textContent
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  })
  pre.prepend(button)
}

// ---- a link to something inside closed details
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true
  target?.scrollIntoView()
}
addEventListener('hashchange', reveal)
if (location.hash) reveal()

// ---- trying an operation
const forms = new WeakSet()
for (const details of document.querySelectorAll('details.try')) {
  details.hidden = false
  details.addEventListener('toggle', () => {
    if (!details.open || forms.has(details)) return
    forms.add(details)
    details.append(formOf(JSON.parse(details.dataset.call)))
  })
}

let count = 0
function input(label, element) {
  element.id = `try-${(count += 1)}`
  return [make('label', { htmlFor: element.id, textContent: label }), element]
}

function formOf(call) {
  const key = make('input', {
    type: 'password',
    autocomplete: 'off',
    spellcheck: false,
    value: sessionStorage.getItem(KEY) ?? '',
  })
  const fields = call.parameters.map((one) => ({
    ...one,
    element: make('input', {
      value: one.required ? one.example : '',
      placeholder: one.example,
      required: one.required,
    }),
  }))
  const body = call.body === undefined ? undefined : make('textarea', { rows: 8, value: call.body, spellcheck: false })
  const output = make('div', { ariaLive: 'polite' })
  const form = make(
    'form',
    {},
    ...(call.open ? [] : input('Test key (ak_test_…), or the access token of a person', key)),
    ...fields.flatMap(({ name, in: place, element }) => input(`${name} (${place})`, element)),
    ...(body ? input('Body', body) : []),
    make('button', { textContent: 'Send' }),
    output,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(call, { key: key.value.trim(), fields, body: body?.value, output })
  })
  return form
}

function addressOf(call, fields) {
  const values = fields.filter(({ element }) => element.value !== '')
  const inPath = new Map(values.filter((one) => one.in === 'path').map(({ name, element }) => [name, element.value]))
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath.get(name) ?? ''))
  const query = new URLSearchParams(
    values.filter((one) => one.in === 'query').map(({ name, element }) => [name, element.value]),
  )
  return `${call.host}${path}${query.size > 0 ? `?${query}` : ''}`
}

function headersOf(call, { key, fields, body }) {
  const headers = new Headers()
  if (key !== '' && !call.open) headers.set('Authorization', `Bearer ${key}`)
  if (body !== undefined) headers.set('Content-Type', call.type)
  for (const { name, in: place, element } of fields)
    if (place === 'header' && element.value) headers.set(name, element.value)
  return headers
}

async function send(call, given) {
  const { key, fields, body, output } = given
  const say = (text) => output.replaceChildren(make('p', { role: 'alert', textContent: text }))
  if (key.startsWith('ak_live_')) {
    say('This is a live key. This page sends test keys only: ak_test_…')
    return
  }
  if (!call.open) sessionStorage.setItem(KEY, key)
  output.replaceChildren(make('p', { textContent: 'Waiting…' }))
  try {
    const request = {
      method: call.method,
      headers: headersOf(call, given),
      credentials: 'omit',
      redirect: 'manual',
      body,
    }
    const answer = await fetch(addressOf(call, fields), request)
    if (answer.type === 'opaqueredirect') {
      say('The answer leads to another page, which is not followed here.')
      return
    }
    const heads = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    output.replaceChildren(
      make('h4', { textContent: `Status ${answer.status}` }),
      make('pre', { tabIndex: 0, textContent: heads }),
      make('pre', { tabIndex: 0, textContent: pretty(await answer.text()) }),
    )
  } catch {
    say('No answer. The API does not run, or does not allow requests from this page.')
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
