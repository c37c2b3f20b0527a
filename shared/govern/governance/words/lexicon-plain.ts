// Words that name no act, and words that join clauses. This file holds data only; spaces separate the words.

/** Everyday nouns, adjectives and times. A clause of nothing else asks for no act. */
export const PLAIN = `user customer client account ticket invoice contact person people team member group folder file page project
  task issue item product row column field value record entry event meeting calendar day week month quarter year hour
  minute date time morning evening today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday
  january february march april may june july august september october november december name title description status
  state type category priority size length count number total sum average amount price cost rate balance id key address city
  country region street location phone number language currency weather temperature result detail summary overview report
  table chart graph list version branch commit repository repo project build pipeline job server service host node database
  index queue topic thread conversation document doc attachment image photo video link url website site domain owner author
  assignee manager employee colleague partner supplier vendor company organisation organization department office order
  device sensor metric error warning exception incident outage trend usage limit quota budget forecast revenue sales lead deal
  opportunity campaign segment condition term rule policy setting option preference schema api response request header
  body parameter argument example sample data info information content text word line paragraph section chapter top bottom
  first second third best worst biggest smallest highest lowest recent latest newest oldest current active inactive public
  private internal external available overdue unread due missing other more less same different similar related main default
  ascending descending alphabetically briefly thanks thank cheers possible asap necessary needed json csv pdf xml html txt md
  png jpg xlsx docx yaml log mine yours mon tue wed thu fri jan feb mar apr jun jul aug sep oct nov dec am pm utc
  percent north south east west europe asia africa america germany france spain london paris berlin english german french
  spanish red green blue small large big long short high low early late daily weekly monthly yearly shipping delivery
  inventory stock warehouse parcel shipment flight hotel room booking reservation route distance map train bus car`

/** Plain words that may be verbs in front of another noun. */
export const PLAIN_ALSO_VERBS = `contact text phone file page address table train date value project task image link limit
  number name title label rate budget question document sample`

/** Words before the verb of a clause that add no meaning. */
export const POLITE = `please kindly can could would will shall should must you i we want need like love to let lets us me just
  now first next also again hey hi hello ok okay go ahead agent assistant dear quickly immediately simply only try help d ll
  then so and finally lastly`

/** A clause begins after one of these, in names as well. */
export const CONJUNCTIONS = 'and or then but instead also plus n afterwards afterward thereafter'

/** A clause begins after one of these in sentences. */
export const ADVERBS = `nor yet while whilst so otherwise else subsequently finally lastly meanwhile rather whereupon
  followed whereas once unless though although well thereby hereby because besides moreover furthermore additionally anyway`

/** Names of secrets. Reading one out needs approval. */
export const SECRETS = `password passwd passphrase passcode secret credential apikey otp totp cvv mnemonic keystore
  privatekey keypair kubeconfig cookie pan`
/** The first word of a secret and the second. */
export const SECRET_PAIRS = `private key, api key, app key, application key, access key, secret key, signing key, encryption key, ssh key, access token,
  refresh token, api token, bearer token, session token, auth token, recovery code, backup code, seed phrase, pin code,
  card number, id rsa, etc shadow, key pair, upload url, presigned url, signed url, login url, login link, signin url,
  signin link, magic link, connection string, kube config, session id, session ids, environment variable, env var, env vars, dot env, seed word,
  seed words, fa code, factor code, otp code, mfa code, verification code, security code, auth code, access code, onboarding url, bgp config, service key, host key,
  function key, admin key, license key, licence key, root credential, secret scanning, signing secret, client secret, webhook secret, session key, account key, master key, root key`
/** A token is a secret where a verb of `OBTAINING` gets it, unless another word than one of `FROM` says what of it is read. */
export const TOKENS = 'token jwt pin'
export const OBTAINING = 'get read fetch show retrieve return display download view'
/** Before a token: it continues a list, or is a coin. */
export const PUBLIC_TOKENS = 'page next previous cursor continuation sync design crypto coin nft erc spl count lp'
/** After a secret: what describes it is read, not the secret. */
export const ABOUT_SECRETS = `policy policies metadata count versions status type types rotation name names rule rules
  requirement requirements strength expiry expiration quota`
/** With one of `LISTING`, one of `NAMED_SECRETS` is listed by name, without its value. */
export const LISTING = 'list enumerate count'
export const NAMED_SECRETS = 'secrets keypairs'

/** Money itself, and units that make a number an amount. */
export const MONEY = 'money cash'
/** After a word of money: what is said of it, not money itself. */
export const ABOUT_MONEY = 'flow flows'
export const CURRENCIES = `dollar dollars euro euros usd eur gbp chf pounds bucks bitcoin bitcoins btc eth usdt yen rupees
  francs pesos crypto grand quid`
/** Before an amount these compare; nothing is handed over. */
export const COMPARING = `over above under below than exceeding between least most worth of in about around beyond to at per
  costing`
/** Words between a number and its unit. */
export const MAGNITUDES = 'k m mio million thousand hundred'
/** Reading verbs that hand over what they read. */
export const GIVING = 'return'

/** Prepositions before a receiver: after any reading verb (`TOWARDS`), and after the verbs `WORDING` alone (`WORDED`). */
export const TOWARDS = 'to into onto via through over'
export const WORDING = 'display explain describe translate'
export const WORDED = 'in on by'
/** Receivers besides channels. */
export const RECEIVERS =
  'press media internet web world everyone everybody newspaper competitor competitors pastebin outside'
/** Prepositions before a source. */
export const FROM = 'in from of by about for on within'

/** Verbs of other languages, without their accents. */
export const FOREIGN_VERBS = {
  delete: `losche losch loschen loesche loeschen entferne entfernen vernichte vernichten zerstore zerstoren zerstoere
    borra borrar elimina eliminar destruye destruir suprime suprimir supprime supprimer efface effacer detruis detruire
    enleve enlever cancella cancellare apaga apagar exclui excluir verwijder verwijderen usun skasuj quema quemar`,
  payment: `uberweise uberweisen ueberweise ueberweisen bezahle bezahlen zahle zahlen kaufe kaufen bestelle bestellen paga
    pagar transfiere transferir compra comprar paie paye payer vire virer achete acheter rembourse rembourser reembolsa
    reembolsar betaal betalen koop kopen compre pague`,
  message_external: `sende senden schicke schicken verschicke veroffentliche envia enviar manda mandar publica publicar
    envoie envoyer publie publier invia inviare spedisci stuur verstuur`,
  destructive: `stoppe stoppen beende beenden kundige kundigen deaktiviere formatiere uberschreibe cancela cancelar apague
    detiene detener desactiva formatea annule annuler arrete arreter desactive ecrase spegni`,
  execute: 'starte starten ejecuta ejecutar executer esegui voer',
  permission: 'sperre sperren gewahre erteile bloquea bloquear otorga otorgar accorde accorder',
} as const

/** A word that may be a noun or a verb is a verb after one of these. */
export const VERB_MARKERS = 'to can could will would shall should must may might you we they i and not'

/** Words behind a name for what of a secret is returned. Another noun behind it says that something else is. */
export const OF_SECRETS = `alert alerts value values string data content contents text for by of in from with and or to into onto via through over on about
  within details information info all key keys secret uri url link hash hashes file`
/** A key is no secret behind one of these. */
export const PUBLIC_KEYS = `primary foreign partition sort public translation i18n issue project object cache row idempotency hot
  redis routing message map hash json config setting feature dataset range index composite surrogate natural candidate sharding
  group parent child space`
/** Members of an answer that are secrets themselves. */
export const RETURNED_SECRETS = `password secret token apikey cookie seed mnemonic pan cvv otp pin`
