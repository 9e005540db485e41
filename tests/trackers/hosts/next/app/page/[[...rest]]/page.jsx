import Link from 'next/link'

export default function Page() {
  return <Link href="/page/linked">page</Link>
}
