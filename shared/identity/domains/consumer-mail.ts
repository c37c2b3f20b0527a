// Domains of public mail providers. No tenant may verify one, because it would then own the accounts of strangers.

const NAMES = `
  126.com 163.com aim.com alice.it aliyun.com aol.com att.net bellsouth.net bigpond.com bluewin.ch bol.com.br
  btinternet.com charter.net comcast.net cox.net daum.net duck.com earthlink.net email.com fastmail.com
  fastmail.fm foxmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com
  hanmail.net hey.com hotmail.ca hotmail.co.uk hotmail.com hotmail.com.br hotmail.de hotmail.es hotmail.fr
  hotmail.it hushmail.com icloud.com inbox.com inbox.lv interia.pl laposte.net libero.it live.ca live.co.uk
  live.com live.de live.fr live.it live.nl lycos.com mac.com mail.com mail.de mail.ru mailbox.org me.com
  msn.com naver.com ntlworld.com o2.pl onet.pl orange.fr outlook.com outlook.de outlook.es outlook.fr
  outlook.it outlook.jp pm.me posteo.de proton.me protonmail.ch protonmail.com qq.com rambler.ru
  rediffmail.com rocketmail.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com sky.com sohu.com t-online.de
  talktalk.net telus.net terra.com.br tiscali.it tuta.com tuta.io tutanota.com tutanota.de uol.com.br
  verizon.net virgilio.it virginmedia.com wanadoo.fr web.de wp.pl xtra.co.nz ya.ru yahoo.ca yahoo.co.id
  yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.mx yahoo.de
  yahoo.es yahoo.fr yahoo.in yahoo.it yandex.by yandex.com yandex.kz yandex.ru yeah.net ymail.com zoho.com
  zohomail.com
`

export const CONSUMER_MAIL: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/))
