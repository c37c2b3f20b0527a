// How statements that write begin. This file holds data only. A key is the first word; its expression matches what follows, at
// most 400 characters, with single spaces. Expressions are narrow, so prose such as "update on the project" does not match.

const NAME = String.raw`(?:"[^"]{1,64}"|\x60[^\x60]{1,64}\x60|\[[^\]]{1,64}\]|[^\s"\x60\[\]();,=|]){1,128}`
const END = String.raw`(?:\s?$|\s?[;)}"'\x60|&\]]|\s?--)`
const OBJECT = `(?:table|index|view|database|schema|user|role|function|procedure|trigger|sequence|extension|keyspace|
collection|type|tablespace|login|policy|publication|subscription|event|package|synonym|domain|aggregate|column|constraint|
partition|warehouse|stage|materialized view|(?:external|foreign) table) `
const MODIFIERS = `(?:(?:or replace|temp|temporary|unique|global|local|external|unlogged|public|(?:non)?clustered|fulltext|
spatial|bitmap|recursive|transient|virtual|if not exists|if exists|only|concurrently|definer=\\S{1,64}) )*`
const PRIVILEGE = `(?:all|select|insert|update|delete|execute|usage|create|alter|drop|references|connect|super|file|control|
ownership|with grant option|grant option for|admin option for)`

export const SQL_FORMS: Readonly<Record<string, string>> = {
  insert: `(?:(?:\\w+ ){0,3}(?:into|overwrite) (?:table )?NAME ?(?:\\(|(?:as \\w+ )?(?:values?|select|set|default values|
table|with|exec|overriding|output|json)\\b)|NAME ?(?:\\([^()]{0,200}\\) ?)?(?:values? ?\\(|select |exec )|(?:data )?\\{)`,
  replace: `into NAME ?(?:\\(|values?\\b|select\\b|set\\b)`,
  merge: `(?:into )?NAME (?:(?:as )?\\w+ )?using |\\( ?\\w* ?[:{)]`,
  delete: `from (?:only )?NAME(?:END| (?:(?:as )?\\w{1,30} )?(?:where|using|returning|limit \\d|order by|join|inner|left|
output|option)\\b)|NAME(?: from NAME)? (?:\\w{1,30} )?where NAME ?(?:[=<>!]|is |in |like |between )|top ?\\(|
(?:where|data) ?\\{|\\[ ?select `,
  update: `(?:[^\\s;]{1,128} ){1,16}?set NAME ?(?:[-+*]?=|\\()`,
  drop: `graph <|MODSOBJECTMODSNAME ?(?:END|,|cascade|restrict|purge|on |force|\\()`,
  alter: `MODSOBJECTMODSNAME (?:add|drop|alter|modify|change|rename|set|reset|owner|enable|disable|attach|detach|with|force|
identified|password|superuser|login|nologin|createdb|default|quota|account|convert|engine|auto_increment|inherit)\\b|
(?:system|session) (?:set|reset|kill|flush)`,
  create: `MODSOBJECTMODSNAME ?(?:\\(|;|as |on NAME ?\\(|with (?:password|login|superuser|\\()|identified|password|login|
superuser|returns|language|for login|from login|engine|partition by|like |default |authorization|before |after insert)|
MODSindex on NAME ?\\(|\\( ?\\w* ?[:{)]`,
  truncate: `table (?:only )?NAME ?(?:END|,|cascade|restart|continue)`,
  grant: `PRIVILEGE[ ,(].{0,200}? (?:on|to) NAME`,
  revoke: `PRIVILEGE[ ,(].{0,200}? (?:on|from) NAME`,
  exec: `(?:\\[?\\w+\\]?\\.){0,3}\\[?(?:sp|xp|usp|proc|fn)_\\w|NAME @\\w|immediate |\\( ?['@n]`,
  execute: `(?:\\[?\\w+\\]?\\.){0,3}\\[?(?:sp|xp|usp|proc|fn)_\\w|NAME @\\w|immediate |\\( ?['@n]|format ?\\(`,
  call: `[\\w.]+(?:\\(| ?\\( ?\\))|\\w*[_.]\\w+ ?\\(`,
  copy: `NAME ?(?:\\([^()]{0,200}\\) ?)?(?:from|to) (?:program|stdin|stdout|'|s3:|gs:|@)|\\( ?select|into NAME from `,
  load: `(?:data|xml) (?:low_priority |concurrent |local ){0,2}(?:infile|inpath)|csv (?:with|from) |'`,
  set: `(?:global|session|persist) \\w+ ?=|password for |@@|role NAMEEND|identity_insert `,
  do: `(?:language \\w+ )?\\$`,
  declare: `@\\w`,
  reindex: `(?:table|index|database|schema|system) NAMEEND`,
  vacuum: `(?:full|freeze|analyze)\\b|into `,
  refresh: `materialized view `,
  kill: `(?:query |connection )?\\d+END`,
  lock: `tables? NAME (?:read|write|in )`,
  pragma: `\\w+(?:\\.\\w+)? ?[=(]`,
  attach: `(?:database )?'`,
  detach: `delete \\w|database `,
  rename: `table NAME to `,
  backup: `(?:database|log) NAME to `,
  restore: `database NAME from `,
  flush: `(?:privileges|tables|logs|hosts|status)END`,
  purge: `(?:binary|master) logs|recyclebin|table `,
  dbcc: `\\w+ ?(?:\\(|END)`,
  deny: `PRIVILEGE[ ,(].{0,200}? (?:on|to) NAME`,
  remove: `\\w+[.:]\\w+END`,
  clear: `(?:silent )?(?:graph <|(?:all|default|named)END)`,
  comment: `on (?:table|column|database|schema|index|view|function) NAME is `,
  export: `data options ?\\(`,
  unload: `\\( ?'`,
  foreach: `\\( ?\\w+ in `,
  waitfor: `delay `,
  mutation: `(?:[\\w,]+ ?)?(?:\\([^{}]{0,300}|@\\w+ ?)?\\{`,
}

/** Forms that count only where a text is either a statement or search words. */
export const QUERY_FORMS: Readonly<Record<string, string>> = {
  create: `MODSOBJECTMODSNAMEEND`,
  truncate: `(?:table )?NAMEEND`,
  grant: `\\w+(?:, ?\\w+)* to NAMEEND`,
  revoke: `\\w+(?:, ?\\w+)* from NAMEEND`,
  exec: `[\\w.]+END`,
  execute: `[\\w.]+END`,
  delete: `(?:\\S+ )?(?:from|where|data) `,
  copy: `NAME (?:from|to) `,
}

/** Forms of reading statements, which may contain one that writes. They count only when they are not proven to read. */
export const READING_FORMS: Readonly<Record<string, string>> = {
  select: `[\\d*'"]|.{0,300}?(?:\\bfrom\\b|\\binto\\b|\\()`,
  with: `(?:recursive )?NAME ?(?:\\(|as ?(?:(?:not )?materialized ?)?\\()`,
  explain: `(?:\\(|analy[sz]e|verbose|select|with|insert|update|delete) ?`,
  match: `\\( ?\\w* ?[:{)]`,
  optional: `match ?\\(`,
  unwind: `.{1,200}? as `,
}

const known = new Map<string, RegExp>()

/** The expression of a form, built on first use. */
export function formOf(source: string): RegExp {
  const made = known.get(source)
  if (made) return made
  const whole = source
    .replaceAll('\n', '')
    .replaceAll('MODS', MODIFIERS.replaceAll('\n', ''))
    .replaceAll('OBJECT', OBJECT.replaceAll('\n', ''))
    .replaceAll('PRIVILEGE', PRIVILEGE.replaceAll('\n', ''))
    .replaceAll('NAME', NAME)
    .replaceAll('END', END)
  const expression = new RegExp(`^ ?(?:${whole})`, 'i')
  known.set(source, expression)
  return expression
}
