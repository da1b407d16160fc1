/* The right-hand side of the damped Cartesian pendulum, y = (x, y, u, v, mu), written by hand and compiled with -O2: what
   the tape of the equations component is measured against. */
void worksheet_pendulum(double g, double w, const double *s, double *f)
{
  const double x = s[0], y = s[1], u = s[2], v = s[3], mu = s[4];
  const double r = x*x + y*y, p = x*u + y*v;
  f[0] = u;
  f[1] = v;
  f[2] = -x*mu;
  f[3] = -y*mu - g;
  f[4] = -(8*mu*p + 6*g*v - 6*w*(u*u + v*v) + 6*w*mu*r + 6*w*g*y - 6*w*w*p - w*w*w*(r - 1))/(2*r);
}
