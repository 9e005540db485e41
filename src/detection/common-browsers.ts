/** Recognises the user agents of common browsers by their whole shape, so that a slower test can be saved. */

const platforms = [
  String.raw`Windows NT \d+\.\d+(?:; Win64; x64|; WOW64)?(?:; rv:[\d.]+)?`,
  String.raw`Macintosh; Intel Mac OS X \d+[._]\d+(?:[._]\d+)?(?:; rv:[\d.]+)?`,
  String.raw`X11; (?:Ubuntu; )?Linux (?:x86_64|i686)(?:; rv:[\d.]+)?`,
  String.raw`(?:iPhone|iPad); (?:U; )?CPU (?:iPhone )?OS \d+_\d+(?:_\d+)? like Mac OS X`,
  // Names of devices are anybody's; these are of letters that hold no word.
  String.raw`Linux; Android \d+(?:\.\d+)*; (?:K|SM-[A-Z]\d{3,4}[A-Z]?|Pixel \d+)`,
  String.raw`Android \d+(?:\.\d+)*; Mobile; rv:[\d.]+`,
]

const browsers = [
  String.raw`AppleWebKit/[\d.]+ \(KHTML, like Gecko\) Chrome/[\d.]+ (?:Mobile )?Safari/[\d.]+(?: (?:Edg|EdgA|OPR)/[\d.]+)?`,
  String.raw`AppleWebKit/[\d.]+ \(KHTML, like Gecko\) Version/[\d.]+ (?:Mobile/\d{2}[A-Z]\d{2,5} )?Safari/[\d.]+`,
  String.raw`Gecko/[\d.]+ Firefox/[\d.]+`,
]

/** For tests, which make texts of this shape. */
export const commonBrowserShape = new RegExp(
  `^Mozilla/5\\.0 \\((?:${platforms.join('|')})\\) (?:${browsers.join('|')})$`,
)

/** True only for what no list of robots can name: names and platforms are fixed, and only the numbers of versions vary. */
export const isCommonBrowser = (userAgent: string): boolean => commonBrowserShape.test(userAgent)
