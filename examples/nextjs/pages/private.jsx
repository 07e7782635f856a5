import { getServerSession } from 'next-auth/next';
import { authOptions } from './api/auth/[...nextauth]';

export async function getServerSideProps({ req, res }) {
  const session = await getServerSession(req, res, authOptions);
  if (!session) return { redirect: { destination: '/api/auth/signin?callbackUrl=/private', permanent: false } };
  return { props: { id: session.user.id, name: session.user.name } };
}

export default function Private({ id, name }) {
  return (
    <main>
      <p>
        {name} ({id})
      </p>
      <a href="/api/auth/signout">Sign out</a>
    </main>
  );
}
