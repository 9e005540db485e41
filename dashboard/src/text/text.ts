/** The words in use. To add a language: a file beside en.ts, and a choice here. */
import { en, type Text } from './en.ts'

export const text: Text = en
