// Functions of a page, made of the data of a robot and of its traced programs `f`; programs.py says what they are.
function mechanics(data, f) {
    const { nq, nv, bodies, frames, gravity: g, position_rows } = data;
    const lower = data.lower.map((x) => x ?? -Infinity), upper = data.upper.map((x) => x ?? Infinity);
    const n = bodies.length, closed = data.closures.length > 0;
    const array = (x) => Float64Array.from(x);
    const zeros = (k) => new Float64Array(k);

    // Poses, screws of joints and moments of mass at the last configuration that was asked for.
    const here = { q: zeros(nq).fill(NaN), poses: zeros(16 * (n + frames.length)), screws: zeros(6 * data.screws) };
    const local = zeros(12 * n), subspaces = array(data.subspaces);
    const tables = (data.tables ?? []).map(array);
    const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

    function at(q) {
        let same = true;
        for (let i = 0; i < nq; i++) same = same && here.q[i] === q[i];
        if (same) return here;
        here.q.set(q);
        f.poses(q, local);
        if (f.subspaces) f.subspaces(q, subspaces);
        for (let k = 0; k < n; k++) {
            here.poses.set(local.subarray(12 * k, 12 * k + 12), 16 * k);
            here.poses[16 * k + 15] = 1;
            for (let i = 6 * data.screw_of[k]; i < 6 * data.screw_of[k + 1]; i += 6) to_world(here.poses, 16 * k, i);
        }
        frames.forEach(({ body, pose }, k) => product(here.poses, 16 * body, pose, 16 * (n + k)));
        return here;
    }

    // The screw at i of a body, into the world: (R w, p x R w + R v).
    function to_world(X, o, i) {
        const S = subspaces, T = here.screws;
        for (let r = 0; r < 3; r++) {
            const a = X[o + 4 * r], b = X[o + 4 * r + 1], c = X[o + 4 * r + 2];
            T[i + r] = a * S[i] + b * S[i + 1] + c * S[i + 2];
            T[i + 3 + r] = a * S[i + 3] + b * S[i + 4] + c * S[i + 5];
        }
        const x = X[o + 3], y = X[o + 7], z = X[o + 11];
        T[i + 3] += y * T[i + 2] - z * T[i + 1];
        T[i + 4] += z * T[i] - x * T[i + 2];
        T[i + 5] += x * T[i + 1] - y * T[i];
    }

    function product(X, o, Y, to) {
        const A = o < 0 ? identity : X.slice(o, o + 16);
        for (let r = 0; r < 4; r++)
            for (let c = 0; c < 4; c++) {
                let sum = 0;
                for (let k = 0; k < 4; k++) sum += A[4 * r + k] * Y[4 * k + c];
                X[to + 4 * r + c] = sum;
            }
    }

    function point(q, body, p = [0, 0, 0]) {
        if (body < 0) return array(p);
        const X = at(q).poses, o = 16 * body;
        return array([0, 4, 8].map((r) => X[o + r] * p[0] + X[o + r + 1] * p[1] + X[o + r + 2] * p[2] + X[o + r + 3]));
    }

    // Of each screw, the velocities that it moves by: [place in v, ratio].
    const shares = bodies.flatMap(({ ratio, v }, k) =>
        Array.from({ length: data.screw_of[k + 1] - data.screw_of[k] }, (_, i) =>
            Array.isArray(ratio) ? ratio[i].map((r, j) => [v[0] + j, r]).filter(([, r]) => r !== 0) : [[v[0] + i, ratio]],
        ),
    );

    // Calls use(place of a screw, place in v, ratio, body) for all joints that move a body.
    function moving(body, use) {
        for (let k = body; k >= 0; k = bodies[k].parent) {
            for (let i = data.screw_of[k]; i < data.screw_of[k + 1]; i++)
                for (const [column, ratio] of shares[i]) use(6 * i, column, ratio, k);
        }
    }

    function jacobian(q, body, p = [0, 0, 0]) {
        const J = zeros(6 * nv), [x, y, z] = point(q, body, p), T = at(q).screws;
        moving(body, (i, j, ratio) => {
            for (let r = 0; r < 3; r++) J[r * nv + j] += ratio * T[i + r];
            J[3 * nv + j] += ratio * (T[i + 3] + T[i + 1] * z - T[i + 2] * y);
            J[4 * nv + j] += ratio * (T[i + 4] + T[i + 2] * x - T[i] * z);
            J[5 * nv + j] += ratio * (T[i + 5] + T[i] * y - T[i + 1] * x);
        });
        return J;
    }

    const rows_times = (A, m, x) => zeros(m).map((_, r) => dot(A, r, x, 0, x.length));

    const velocity = (q, v, body, p) => rows_times(jacobian(q, body, p), 6, v);

    function point_force(q, body, p, force) {
        const J = jacobian(q, body, p), tau = zeros(nv);
        for (let j = 0; j < nv; j++) for (let r = 0; r < 3; r++) tau[j] += J[(3 + r) * nv + j] * force[r];
        return tau;
    }

    // First moments and masses in the world, of each body alone.
    function moments(q) {
        const X = at(q).poses;
        return bodies.map((_, k) => {
            const [m, x, y, z] = data.inertias[k], o = 16 * k;
            return [...[0, 4, 8].map((r) => X[o + r] * x + X[o + r + 1] * y + X[o + r + 2] * z + X[o + r + 3] * m), m];
        });
    }

    function center_of_mass(q) {
        const [x, y, z, m] = moments(q).reduce((a, b) => a.map((u, i) => u + b[i]), [0, 0, 0, 0]);
        return array([x / m, y / m, z / m]);
    }

    function energy(q, v) {
        const T = at(q).screws, X = here.poses, V = [], armature = data.armature;
        let kinetic = 0, potential = f.stored_energy ? f.stored_energy(q)[0] : 0;
        for (const [x, y, z] of moments(q)) potential -= g[0] * x + g[1] * y + g[2] * z;
        bodies.forEach((body, k) => {
            const W = body.parent < 0 ? zeros(6) : V[body.parent].slice();
            for (let i = data.screw_of[k]; i < data.screw_of[k + 1]; i++) {
                const u = shares[i].reduce((sum, [j, ratio]) => sum + ratio * v[j], 0);
                for (let r = 0; r < 6; r++) W[r] += u * T[6 * i + r];
                kinetic += 0.5 * armature[i] * u * u;
            }
            V.push(W);
            kinetic += kinetic_of(W, X, 16 * k, data.inertias[k]);
        });
        return { kinetic, potential };
    }

    // Of a body with mass m, first moment h and inertia (xx, xy, xz, yy, yz, zz) that moves with a twist of the world.
    function kinetic_of(W, X, o, [m, a, b, c, xx, xy, xz, yy, yz, zz]) {
        const [wx, wy, wz] = W, px = X[o + 3], py = X[o + 7], pz = X[o + 11];
        const v = [W[3] + wy * pz - wz * py, W[4] + wz * px - wx * pz, W[5] + wx * py - wy * px];
        const [x, y, z] = [0, 1, 2].map((r) => X[o + r] * wx + X[o + 4 + r] * wy + X[o + 8 + r] * wz);
        const [s, t, u] = [0, 1, 2].map((r) => X[o + r] * v[0] + X[o + 4 + r] * v[1] + X[o + 8 + r] * v[2]);
        const turning = xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z);
        const mixed = s * (y * c - z * b) + t * (z * a - x * c) + u * (x * b - y * a);
        return 0.5 * turning + mixed + 0.5 * m * (s * s + t * t + u * u);
    }

    function gravity(q) {
        const T = at(q).screws, carried = moments(q), tau = zeros(nv);
        for (let k = n - 1; k >= 0; k--) {
            const { parent } = bodies[k], [x, y, z, m] = carried[k];
            const force = [y * g[2] - z * g[1], z * g[0] - x * g[2], x * g[1] - y * g[0], m * g[0], m * g[1], m * g[2]];
            for (let i = data.screw_of[k]; i < data.screw_of[k + 1]; i++)
                for (const [j, ratio] of shares[i])
                    for (let r = 0; r < 6; r++) tau[j] -= ratio * T[6 * i + r] * force[r];
            if (parent >= 0) for (let r = 0; r < 4; r++) carried[parent][r] += carried[k][r];
        }
        return tau;
    }

    // Mass, first moment and inertia (xx, xy, xz, yy, yz, zz) of each body about the world's origin, in its axes.
    function inertias(q) {
        const X = at(q).poses;
        return bodies.map((_, k) => {
            const [m, a, b, c, xx, xy, xz, yy, yz, zz] = data.inertias[k], o = 16 * k;
            const R = [0, 4, 8].map((r) => [X[o + r], X[o + r + 1], X[o + r + 2]]), p = [X[o + 3], X[o + 7], X[o + 11]];
            const h = R.map(([x, y, z]) => x * a + y * b + z * c), turned = R.map(([x, y, z]) => [
                x * xx + y * xy + z * xz, x * xy + y * yy + z * yz, x * xz + y * yz + z * zz,
            ]);
            const away = 2 * (p[0] * h[0] + p[1] * h[1] + p[2] * h[2]) + m * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            const entry = (r, s) =>
                turned[r][0] * R[s][0] + turned[r][1] * R[s][1] + turned[r][2] * R[s][2] + (r === s ? away : 0) -
                p[r] * h[s] - h[r] * p[s] - m * p[r] * p[s];
            const I = [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)];
            return array([m, h[0] + m * p[0], h[1] + m * p[1], h[2] + m * p[2], ...I]);
        });
    }

    // Composite inertias; a joint's momentum in unit motion, projected on all joints that carry it.
    function mass_matrix(q) {
        const carried = inertias(q), T = at(q).screws, M = zeros(nv * nv), P = zeros(6);
        for (let k = n - 1; k >= 0; k--) {
            const { parent } = bodies[k], first = data.screw_of[k];
            const [m, a, b, c, xx, xy, xz, yy, yz, zz] = carried[k];
            for (let i = first; i < data.screw_of[k + 1]; i++) {
                const [x, y, z, s, t, u] = T.subarray(6 * i, 6 * i + 6);
                P[0] = xx * x + xy * y + xz * z + b * u - c * t;
                P[1] = xy * x + yy * y + yz * z + c * s - a * u;
                P[2] = xz * x + yz * y + zz * z + a * t - b * s;
                P[3] = m * s + c * y - b * z;
                P[4] = m * t + a * z - c * x;
                P[5] = m * u + b * x - a * y;
                for (const [row, ratio] of shares[i]) {
                    for (const [column, other] of shares[i]) M[row * nv + column] += ratio * other * data.armature[i];
                    moving(k, (j, column, other, body) => {
                        let sum = 0;
                        for (let r = 0; r < 6; r++) sum += T[j + r] * P[r];
                        M[row * nv + column] += ratio * other * sum;
                        if (body !== k) M[column * nv + row] += ratio * other * sum;
                    });
                }
            }
            if (parent >= 0) for (let r = 0; r < 10; r++) carried[parent][r] += carried[k][r];
        }
        return M;
    }

    // The product of row r of A and row t of B, both of k entries.
    function dot(A, r, B, t, k) {
        let sum = 0;
        for (let i = 0; i < k; i++) sum += A[r * k + i] * B[t * k + i];
        return sum;
    }

    // Row r of A becomes itself less c times row t of B.
    function less(A, r, c, B, t, k) {
        for (let i = 0; i < k; i++) A[r * k + i] -= c * B[t * k + i];
    }

    // Orthonormal rows (rank, k) that span those of A (m, k), longest first, to a relative tolerance.
    function row_space(A, m, k, tolerance = 1e-9) {
        const left = A.slice(), E = zeros(Math.min(m, k) * k);
        let rank = 0, first = 0;
        for (; rank < Math.min(m, k); rank++) {
            let best = 0, most = 0;
            for (let r = 0; r < m; r++) {
                const square = dot(left, r, left, r, k);
                if (square > most) [best, most] = [r, square];
            }
            const length = Math.sqrt(most);
            first = first || length;
            if (!(length > tolerance * first)) break;
            for (let i = 0; i < k; i++) E[rank * k + i] = left[best * k + i] / length;
            for (let t = 0; t < rank; t++) less(E, rank, dot(E, rank, E, t, k), E, t, k);
            const unit = Math.sqrt(dot(E, rank, E, rank, k));
            for (let i = 0; i < k; i++) E[rank * k + i] /= unit;
            for (let r = 0; r < m; r++) less(left, r, dot(left, r, E, rank, k), E, rank, k);
        }
        return E.subarray(0, rank * k);
    }

    // The shortest x with the least |A x - b|, A (m, k): A = C^T E, and the columns of C^T by Gram and Schmidt.
    function least(A, m, k, b) {
        const E = row_space(A, m, k), n = E.length / k, C = zeros(n * m), R = zeros(n * n), y = zeros(n), x = zeros(k);
        const rest = array(b);
        for (let j = 0; j < n; j++) for (let r = 0; r < m; r++) C[j * m + r] = dot(A, r, E, j, k);
        for (let j = 0; j < n; j++) {
            const length = (R[j * n + j] = Math.sqrt(dot(C, j, C, j, m)));
            for (let r = 0; r < m; r++) C[j * m + r] /= length;
            for (let l = j + 1; l < n; l++) less(C, l, (R[j * n + l] = dot(C, j, C, l, m)), C, j, m);
            less(rest, 0, (y[j] = dot(C, j, rest, 0, m)), C, j, m);
        }
        for (let j = n - 1; j >= 0; j--) {
            for (let l = j + 1; l < n; l++) y[j] -= R[j * n + l] * y[l];
            y[j] /= R[j * n + j];
            less(x, 0, -y[j], E, j, k);
        }
        return x;
    }

    // The lower triangular L, M = L L^T; if M is singular, of what has a little more mass.
    function root(M) {
        let trace = 0;
        for (let i = 0; i < nv; i++) trace += M[i * nv + i];
        for (const extra of [0, 1e-9 * trace]) {
            const L = zeros(nv * nv);
            let fine = true;
            for (let i = 0; i < nv; i++)
                for (let j = 0; j <= i; j++) {
                    let sum = M[i * nv + j] + (i === j ? extra : 0);
                    for (let k = 0; k < j; k++) sum -= L[i * nv + k] * L[j * nv + k];
                    fine = fine && (i > j || sum > 0);
                    L[i * nv + j] = i === j ? Math.sqrt(sum) : sum / L[j * nv + j];
                }
            if (fine) return L;
        }
        return null;
    }

    // x becomes L^-1 x.
    function forward(L, x) {
        for (let i = 0; i < nv; i++) {
            for (let j = 0; j < i; j++) x[i] -= L[i * nv + j] * x[j];
            x[i] /= L[i * nv + i];
        }
        return x;
    }

    // The diagonal of A M^-1 A^T, for rows A (m, nv); Infinity where there is no mass at all.
    function mobility(q, A) {
        const rows = array(A), m = rows.length / nv, L = root(mass_matrix(q));
        return zeros(m).map((_, r) => {
            if (!L) return Infinity;
            const x = forward(L, rows.subarray(r * nv, r * nv + nv));
            return dot(x, 0, x, 0, nv);
        });
    }

    const largest = (x) => x.reduce((most, u) => Math.max(most, Math.abs(u)), 0);
    const times = (s, x) => x.map((u) => s * u);

    // Calls use(place in q, place in v) for the joints that have limits.
    function limited(use) {
        bodies.forEach((body) => {
            if (!body.mimic && body.q[1] - body.q[0] === body.v[1] - body.v[0])
                for (let i = body.q[0]; i < body.q[1]; i++) use(i, body.v[0] + i - body.q[0]);
        });
    }

    function within(q) {
        limited((i) => (q[i] = Math.min(Math.max(q[i], lower[i]), upper[i])));
        return q;
    }

    // Marks velocities that lead out of the limits; whether there are new ones.
    function hold_at_limits(q, d, held) {
        let more = false;
        limited((i, j) => {
            if (held[j] || !((q[i] <= lower[i] && d[j] < 0) || (q[i] >= upper[i] && d[j] > 0))) return;
            held[j] = more = true;
        });
        return more;
    }

    function assemble(q, held = []) {
        const found = f.assemble(q, zeros(nv).map((_, j) => (held.includes(j) ? 1 : 0)));
        return found.every(Number.isFinite) ? found : null;
    }

    function project(q, v, q0 = q) {
        const found = f.project(q, v, q0);
        return { q: found.slice(0, nq), v: found.slice(nq) };
    }

    // RK4 for (theta, v), q + theta on the manifold; see algorithms/time/runge_kutta.py.
    function step(q, v, tau, dt) {
        const theta = zeros(nv), u = zeros(nv), by_theta = zeros(nv), by_v = zeros(nv);
        let w = v, a = f.forward_dynamics(q, v, tau), last = q;
        for (const [before, weight] of [[0, 1], [0.5, 2], [0.5, 2], [1, 1]]) {
            if (before) {
                for (let i = 0; i < nv; i++) {
                    theta[i] = before * dt * w[i];
                    u[i] = v[i] + before * dt * a[i];
                }
                last = f.integrate(q, theta);
                a = f.forward_dynamics(last, u, tau);
                w = u.slice();
                if (f.bracket) {
                    const turned = f.bracket(theta, u), again = f.bracket(theta, turned);
                    for (let i = 0; i < nv; i++) w[i] += 0.5 * turned[i] + again[i] / 12;
                }
            }
            for (let i = 0; i < nv; i++) {
                by_theta[i] += ((weight * dt) / 6) * w[i];
                by_v[i] += ((weight * dt) / 6) * a[i];
            }
        }
        for (let i = 0; i < nv; i++) by_v[i] += v[i];
        const there = f.integrate(q, by_theta);
        return closed ? project(there, by_v, last) : { q: there, v: by_v };
    }

    // A step that solves for contacts, dry friction and stops: the next one begins with what it keeps.
    function advance(q, v, tau, dt, kept) {
        const after = f.advance(q, v, tau, dt, kept ?? zeros(data.kept), ...tables);
        return { q: after.slice(0, nq), v: after.slice(nq, nq + nv), kept: after.slice(nq + nv) };
    }

    // Where shapes touch, or nearly do, and the forces of a step, whose impulses are along two tangents and the normal.
    function contacts(q, kept, dt) {
        const [gaps, points, axes] = f.contact_points(q, ...tables), forces = zeros(points.length);
        if (!kept) return { gaps, points, forces };
        const width = Math.max(...data.slot_rows);
        data.slot_rows.forEach((rows, k) => {
            const at = data.impulses + width * k, first = rows === 1 ? 2 : 0;
            for (let i = first; i < 3; i++)
                for (let r = 0; r < 3; r++) forces[3 * k + r] += (kept[at + i - first] / dt) * axes[9 * k + 3 * i + r];
        });
        return { gaps, points, forces };
    }

    // The rows of K that hold positions.
    const holding = (q) => f.closure_jacobian(q).filter((_, i) => position_rows[Math.floor(i / nv)]);

    // The linear rows of J, without motions that these rows of closures do not allow.
    function allowed(q, body, p, rows = f.closure_jacobian) {
        const J = jacobian(q, body, p).slice(3 * nv);
        if (!closed) return J;
        const K = rows(q);
        const E = row_space(K, K.length / nv, nv);
        for (let t = 0; t < E.length / nv; t++) for (let r = 0; r < 3; r++) less(J, r, dot(J, r, E, t, nv), E, t, nv);
        return J;
    }

    // The least forces of motors that hold the closed robot against gravity: P S x = P g, with P onto motions that the
    // closures allow; null if the motors cannot.
    function motor_forces(q) {
        const K = f.closure_jacobian(q), E = row_space(K, K.length / nv, nv), k = data.driven.length;
        const P = (x) => {
            for (let t = 0; t < E.length / nv; t++) less(x, 0, dot(x, 0, E, t, nv), E, t, nv);
            return x;
        };
        const A = zeros(nv * k), b = P(gravity(q)), tau = zeros(nv);
        data.driven.forEach((i, j) => P(zeros(nv).fill(1, i, i + 1)).forEach((u, r) => (A[r * k + j] = u)));
        const x = least(A, nv, k, b), left = rows_times(A, nv, x).map((u, r) => u - b[r]);
        if (largest(left) > 1e-8 * Math.max(largest(b), 1e-9)) return null;
        data.driven.forEach((i, j) => (tau[i] = x[j]));
        return tau;
    }

    // A A^T of three rows.
    function gram(A) {
        const G = zeros(9);
        for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) G[3 * r + c] = dot(A, r, A, c, nv);
        return G;
    }

    // Eigenvalues, largest first, and eigenvectors in columns of a symmetric matrix (3, 3): Jacobi's rotations.
    function eigen(G) {
        const A = G.slice(), E = array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
        for (let sweep = 0; sweep < 12; sweep++)
            for (const [i, j] of [[0, 1], [0, 2], [1, 2]]) {
                if (A[3 * i + j] === 0) continue;
                const t = (A[3 * j + j] - A[3 * i + i]) / (2 * A[3 * i + j]);
                const s = (t < 0 ? -1 : 1) / (Math.abs(t) + Math.hypot(1, t)), c = 1 / Math.hypot(1, s), d = s * c;
                const turn = (X, a, b) => ([X[a], X[b]] = [c * X[a] - d * X[b], d * X[a] + c * X[b]]);
                for (let k = 0; k < 3; k++) turn(A, 3 * k + i, 3 * k + j);
                for (let k = 0; k < 3; k++) turn(A, 3 * i + k, 3 * j + k);
                for (let k = 0; k < 3; k++) turn(E, 3 * k + i, 3 * k + j);
            }
        const order = [0, 1, 2].sort((i, j) => A[4 * j] - A[4 * i]);
        return { values: order.map((i) => A[4 * i]), axes: [0, 3, 6].flatMap((r) => order.map((i) => E[r + i])) };
    }

    function velocity_ellipsoid(q, body, p) {
        const { values, axes } = eigen(gram(allowed(q, body, p)));
        return { radii: values.map((x) => Math.sqrt(Math.max(0, x))), axes };
    }

    const ranks = [];

    // How many directions a body's origin, or a point of it, has at a configuration of no special kind.
    function rank(body) {
        if (ranks[body] === undefined) {
            const far = f.integrate(home, zeros(nv).map((_, i) => 0.1 + 0.3 * Math.sin(i + 1)));
            const q = closed ? assemble(far) || home : far;
            const { radii } = velocity_ellipsoid(q, body, [0.1, 0.2, 0.3]);
            ranks[body] = radii.filter((x) => x > 1e-6 * radii[0]).length;
        }
        return ranks[body];
    }

    function manipulability(q, body, p) {
        const { radii } = velocity_ellipsoid(q, body, p);
        return radii.slice(0, rank(body)).reduce((x, y) => x * y, body < 0 ? 0 : 1);
    }

    // (G + damping^2) x = e, G (3, 3) symmetric and not negative.
    function damped(G, damping, e) {
        const { values, axes } = eigen(G), x = [0, 0, 0];
        for (let k = 0; k < 3; k++) {
            const c = (axes[k] * e[0] + axes[3 + k] * e[1] + axes[6 + k] * e[2]) / (values[k] + damping * damping);
            for (let r = 0; r < 3; r++) x[r] += c * axes[3 * r + k];
        }
        return x;
    }

    function reach(q, body, p, target, { damping = 0.05, longest = 0.2, limits = true, held = [] } = {}) {
        const e = point(q, body, p).map((x, r) => target[r] - x), J = allowed(q, body, p, holding), still = [];
        for (const j of held) still[j] = true;
        const d = zeros(nv);
        for (let k = 0; k < 3; k++) {
            for (let i = 0; i < 3 * nv; i++) if (still[i % nv]) J[i] = 0;
            const x = damped(gram(J), damping, e);
            for (let j = 0; j < nv; j++) d[j] = J[j] * x[0] + J[nv + j] * x[1] + J[2 * nv + j] * x[2];
            if (!limits || !hold_at_limits(q, d, still)) break;
        }
        const there = f.integrate(q, times(Math.min(1, longest / Math.max(largest(d), 1e-300)), d));
        if (!closed) return limits ? within(there) : there;
        return assemble(there, held) || array(q);
    }

    const neutral = array(data.neutral);
    const home = array(data.home);
    const copied = (name) => (q) => at(q)[name].slice();
    const made = {
        name: data.name, nq, nv, parts: data.parts, bodies, frames, closures: data.closures, closed,
        massless: data.massless, slots: data.slots ?? [], independent: data.independent, screw_of: data.screw_of, neutral, home,
        poses: copied("poses"), screws: copied("screws"), center_of_mass, jacobian, point, velocity, point_force,
        manipulability, velocity_ellipsoid, reach, energy, gravity, mass_matrix, mobility,
        integrate: (q, dq) => f.integrate(q, dq), difference: (q0, q1) => f.difference(q0, q1),
        normalise: (q) => f.normalise(q),
    };
    if (closed) Object.assign(made, { driven: data.driven, assemble, project, motor_forces });
    if (closed) made.closure_residual = (q) => f.closure_residual(q);
    if (f.closure_ends) made.closure_ends = (q) => f.closure_ends(q);
    if (f.forward_dynamics) made.forward_dynamics = (q, v, tau) => f.forward_dynamics(q, v, tau);
    if (f.forward_dynamics) made.step = f.advance ? advance : step;
    if (f.contact_points) made.contacts = contacts;
    return made;
}
