#pragma once

#include <type_traits>

#include "rigor/model/field.hpp"
#include "rigor/model/scene.hpp"
#include "rigor/model/scene_words.hpp"

/// The grammar of scenes, written once. For every struct of scene.hpp, describe(visitor, Kind<Struct>)
/// lists its fields:
///
///     visitor("mass", &Body::mass, {.doc = "Mass.", .unit = "kg", .range = at_least(0)});
///     visitor.tagged("type", &ShapeInstance::geometry, …);   a variant: the key names the alternative,
///                                                            whose fields stand beside it
///     visitor.shorthand("type");                             a bare string stands for this field
///
/// Visitors are the scene reader, writer, JSON schema and reference page in io/, and check_scene() here.
/// Whoever adds a field here has added it to all of them.
namespace rigor {

template <class V>
void describe(V& v, Kind<Material>) {
  v("name", &Material::name,
    {.doc = "Name by which shapes refer to it.", .required = true, .role = FieldRole::kName});
  v("mu", &Material::mu,
    {.doc = "Coulomb coefficient of sliding friction; two of them along and across `direction`. Where two "
            "materials meet, the one of smaller mu gives the law.",
     .range = between(0.0, 1e6)});
  v("mu_static", &Material::mu_static,
    {.doc = "Coefficient of sticking, at least mu; mu where absent.", .range = between(0.0, 1e6)});
  v("slip_speed", &Material::slip_speed,
    {.doc = "Speed of sliding below which mu_static holds.", .unit = "m/s", .range = above(0.0)});
  v("mu_curve", &Material::mu_curve,
    {.doc = "Coefficient against the slip speed s, in place of mu and mu_static (Stribeck's curve).",
     .variable = kSlipSpeed});
  v("direction", &Material::direction,
    {.doc = "Direction of the first of two mu, in the frame of the shape; projected on the contact's plane.",
     .role = FieldRole::kDirection});
  v("stiffness", &Material::stiffness,
    {.doc = "Stiffness of each contact point along its normal; rigid where absent.",
     .unit = "N/m",
     .range = above(0.0)});
  v("damping", &Material::damping,
    {.doc = "Damping along the normal; needs stiffness.", .unit = "N s/m", .range = at_least(0.0)});
  v("friction_stiffness", &Material::friction_stiffness,
    {.doc = "Stiffness of the bristles of each contact point that sticks (formulations phantom, box and "
            "hybrid); rigid where absent.",
     .unit = "N/m",
     .range = above(0.0)});
  v("friction_damping", &Material::friction_damping,
    {.doc = "Damping of the bristles; needs friction_stiffness.", .unit = "N s/m", .range = at_least(0.0)});
  v("restitution", &Material::restitution,
    {.doc = "Coefficient of restitution: 0 no bounce, 1 full bounce.", .range = between(0.0, 1.0)});
  v("density", &Material::density,
    {.doc = "Density of shapes made of it that have none of their own.",
     .unit = "kg/m^3",
     .range = above(0.0)});
}

template <class V>
void describe(V& v, Kind<Sphere>) {
  v("radius", &Sphere::radius, {.doc = "Radius.", .unit = "m", .range = kLength, .required = true});
}

// Capsule, cylinder and cone have the same two fields.
template <class V, class Round>
void describe_round(V& v, Kind<Round>, const char* length_doc) {
  v("radius", &Round::radius, {.doc = "Radius.", .unit = "m", .range = kLength, .required = true});
  v("length", &Round::length, {.doc = length_doc, .unit = "m", .range = kLength, .required = true});
}
template <class V>
void describe(V& v, Kind<Capsule> kind) {
  describe_round(v, kind, "Length along z between the centres of the caps.");
}
template <class V>
void describe(V& v, Kind<Cylinder> kind) {
  describe_round(v, kind, "Length along z.");
}
template <class V>
void describe(V& v, Kind<Cone> kind) {
  describe_round(v, kind, "Height along z, from the base at -length/2 to the tip at +length/2.");
}

template <class V>
void describe(V& v, Kind<Box>) {
  v("size", &Box::size,
    {.doc = "Full edge lengths along x, y, z.", .unit = "m", .range = kLength, .required = true});
}

template <class V>
void describe(V& v, Kind<Ellipsoid>) {
  v("radii", &Ellipsoid::radii,
    {.doc = "Half-axes along x, y, z.", .unit = "m", .range = kLength, .required = true});
}

template <class V>
void describe(V&, Kind<HalfSpace>) {}

template <class V>
void describe(V&, Kind<Point>) {}

template <class V>
void describe(V& v, Kind<Hull>) {
  v("points", &Hull::points,
    {.doc = "Points whose convex hull is the shape.",
     .unit = "m",
     .range = kCoordinate,
     .required = true,
     .min_items = 4,
     .max_items = 2'000});  // those of two large faces take a time that grows with their square
}

template <class V>
void describe(V& v, Kind<TriangleMesh>) {
  v("vertices", &TriangleMesh::vertices,
    {.doc = "Vertices.", .unit = "m", .range = kCoordinate, .required = true, .min_items = 3});
  v("triangles", &TriangleMesh::triangles,
    {.doc = "Triples of indices into the vertices, counter-clockwise from outside.",
     .range = at_least(0),
     .required = true,
     .min_items = 1});
}

template <class V>
void describe(V& v, Kind<HeightField>) {
  v("size", &HeightField::size,
    {.doc = "Extent along x and y.", .unit = "m", .range = kLength, .required = true});
  v("heights", &HeightField::heights,
    {.doc = "Rows along y of heights along x, all rows equally long.",
     .unit = "m",
     .range = kCoordinate,
     .required = true,
     .min_items = 2});
}

template <class V>
void describe(V& v, Kind<Disk>) {
  v("radius", &Disk::radius, {.doc = "Radius.", .unit = "m", .range = kLength, .required = true});
}

template <class V>
void describe(V& v, Kind<Polygon>) {
  v("points", &Polygon::points,
    {.doc = "Corners of a convex polygon in the scene's plane, counter-clockwise.",
     .unit = "m",
     .range = kCoordinate,
     .required = true,
     .min_items = 3,
     .max_items = 10'000});
}

template <class V>
void describe(V& v, Kind<ShapeInstance>) {
  v("name", &ShapeInstance::name, {.doc = "Name; optional.", .role = FieldRole::kName});
  v.tagged("type", &ShapeInstance::geometry, {.doc = "Kind of shape.", .required = true});
  v("pose", &ShapeInstance::pose,
    {.doc = "Pose in the frame of its body, or in the world.", .unit = "m", .range = kCoordinate});
  v("material", &ShapeInstance::material,
    {.doc = "Name of its material; one with mu = 0.5 where absent.", .role = FieldRole::kMaterial});
  v("density", &ShapeInstance::density,
    {.doc = "Density; else its body's, else its material's. Disk and polygon: per area.",
     .unit = "kg/m^3",
     .range = above(0.0)});
}

template <class V>
void describe(V& v, Kind<Velocity>) {
  v("linear", &Velocity::linear,
    {.doc = "Velocity of the body's origin, in world axes.", .unit = "m/s", .range = between(-1e9, 1e9)});
  v("angular", &Velocity::angular,
    {.doc = "Angular velocity, in world axes.", .unit = "rad/s", .range = between(-1e9, 1e9)});
}

template <class V>
void describe(V& v, Kind<Joint>) {
  v.shorthand("type");
  v("type", &Joint::type, {.doc = "Kind of joint; a body without one is free.", .required = true});
  v("name", &Joint::name, {.doc = "Name; its body's where absent.", .role = FieldRole::kName});
  v("parent", &Joint::parent, {.doc = "Body that carries it, or world.", .role = FieldRole::kBody});
  v("pose", &Joint::pose,
    {.doc = "Pose of the joint frame in the body's frame.", .unit = "m", .range = kCoordinate});
  v("axis", &Joint::axis,
    {.doc = "Axis in the joint frame: of rotation, of sliding, or the normal of a planar joint.",
     .role = FieldRole::kDirection});
  v("axis2", &Joint::axis2,
    {.doc = "Universal joint: second axis, fixed in the body.", .role = FieldRole::kDirection});
  v("pitch", &Joint::pitch,
    {.doc = "Screw joint: advance per angle.", .unit = "m/rad", .range = kCoordinate});
  v("q", &Joint::q,
    {.doc = "Initial coordinates, in m and rad: see the table of joints. Zero where absent.",
     .range = kCoordinate,
     .max_items = 7});
  v("v", &Joint::v,
    {.doc = "Initial speeds, in m/s and rad/s: see the table of joints. Zero where absent.",
     .range = kCoordinate,
     .max_items = 6});
  v("limits", &Joint::limits,
    {.doc = "Lower and upper limit for each speed's coordinate; null where there is none. Rotations of ball "
            "joints and free bodies have none.",
     .range = kCoordinate,
     .max_items = 6});
  v("damping", &Joint::damping,
    {.doc = "Viscous damping of each coordinate.", .unit = "N s/m or N m s/rad", .range = at_least(0.0)});
  v("stiffness", &Joint::stiffness,
    {.doc = "Spring stiffness of each coordinate.", .unit = "N/m or N m/rad", .range = at_least(0.0)});
  v("rest", &Joint::rest,
    {.doc = "Coordinates at which the spring is slack. Zero where absent.",
     .range = kCoordinate,
     .max_items = 7});
  v("armature", &Joint::armature,
    {.doc = "Inertia of a rotor, added to each coordinate.", .unit = "kg or kg m^2", .range = at_least(0.0)});
}

template <class V>
void describe(V& v, Kind<Body>) {
  v("name", &Body::name,
    {.doc = "Name by which joints, constraints and forces refer to it.",
     .required = true,
     .role = FieldRole::kName});
  v("pose", &Body::pose,
    {.doc = "Pose in the frame of the joint's parent (the world for a free body) at joint coordinates zero.",
     .unit = "m",
     .range = kCoordinate});
  v("velocity", &Body::velocity, {.doc = "Initial velocity of a free body."});
  v("mass", &Body::mass,
    {.doc = "Mass; with shapes and no inertia, their distribution scaled to it. 0 for a massless body.",
     .unit = "kg",
     .range = at_least(0.0),
     .remedy = "For a body that does not move use \"joint\": \"fixed\"."});
  v("center_of_mass", &Body::center_of_mass,
    {.doc = "Centre of mass in the body's frame; only with inertia, or without shapes.",
     .unit = "m",
     .range = kCoordinate});
  v("inertia", &Body::inertia,
    {.doc = "Inertia about the centre of mass in the body's axes: xx, yy, zz, or these and xy, xz, yz.",
     .unit = "kg m^2",
     .max_items = 6});
  v("density", &Body::density,
    {.doc = "Density of its shapes that have none of their own.", .unit = "kg/m^3", .range = above(0.0)});
  v("shapes", &Body::shapes, {.doc = "Shapes fixed in the body."});
  v("joint", &Body::joint, {.doc = "Joint that carries the body: an object, or just its type."});
}

template <class V>
void describe(V& v, Kind<Group>) {
  v("name", &Group::name, {.doc = "Name.", .required = true, .role = FieldRole::kName});
  v("planar", &Group::planar, {.doc = "Plane in which its bodies move.", .required = true});
  v("bodies", &Group::bodies,
    {.doc = "Names of its bodies.", .required = true, .role = FieldRole::kMovingBody, .min_items = 1});
}

// Fields that several constraints and the springs share.
template <class V, class C>
void describe_point_a(V& v, Kind<C>) {
  v("point_a", &C::point_a, {.doc = "Point in the frame of body a.", .unit = "m", .range = kCoordinate});
}
template <class V, class C>
void describe_points(V& v, Kind<C> kind) {
  describe_point_a(v, kind);
  v("point_b", &C::point_b, {.doc = "Point in the frame of body b.", .unit = "m", .range = kCoordinate});
}
template <class V, class C>
void describe_axis_b(V& v, Kind<C>, const char* doc) {
  v("axis_b", &C::axis_b, {.doc = doc, .role = FieldRole::kDirection});
}
template <class V, class C>
void describe_axes(V& v, Kind<C> kind) {
  v("axis_a", &C::axis_a, {.doc = "Axis in the frame of body a.", .role = FieldRole::kDirection});
  describe_axis_b(v, kind, "Axis in the frame of body b.");
}

template <class V>
void describe(V& v, Kind<BallConstraint> kind) {
  describe_points(v, kind);
}
template <class V>
void describe(V& v, Kind<WeldConstraint>) {
  v("frame_a", &WeldConstraint::frame_a, {.doc = "Frame in body a.", .unit = "m", .range = kCoordinate});
  v("frame_b", &WeldConstraint::frame_b, {.doc = "Frame in body b.", .unit = "m", .range = kCoordinate});
}
template <class V>
void describe(V& v, Kind<HingeConstraint> kind) {
  describe_points(v, kind);
  describe_axes(v, kind);
}
template <class V>
void describe(V& v, Kind<DistanceConstraint> kind) {
  describe_points(v, kind);
  v("distance", &DistanceConstraint::distance,
    {.doc = "Distance of the points.",
     .unit = "m",
     .range = kLength,
     .required = true,
     .remedy = "For distance 0 use a ball constraint."});
}
template <class V>
void describe(V& v, Kind<PointOnLineConstraint> kind) {
  describe_points(v, kind);
  describe_axis_b(v, kind, "Direction of the line, in the frame of body b.");
}
template <class V>
void describe(V& v, Kind<PointInPlaneConstraint> kind) {
  describe_points(v, kind);
  describe_axis_b(v, kind, "Normal of the plane, in the frame of body b.");
}
template <class V>
void describe(V& v, Kind<ParallelAxesConstraint> kind) {
  describe_axes(v, kind);
}

template <class V>
void describe(V& v, Kind<RollingConstraint>) {
  using C = RollingConstraint;
  v("point_a", &C::point_a,
    {.doc = "Centre of the ball or disk, in the frame of body a.", .unit = "m", .range = kCoordinate});
  v("axis_a", &C::axis_a,
    {.doc = "Axle of a thin disk, in the frame of body a; a ball where absent.",
     .role = FieldRole::kDirection});
  v("radius", &C::radius,
    {.doc = "Radius of the ball or disk.", .unit = "m", .range = kLength, .required = true});
  v("point_b", &C::point_b,
    {.doc = "Point of the plane, in the frame of body b.", .unit = "m", .range = kCoordinate});
  describe_axis_b(v, Kind<C>{}, "Normal of the plane towards the ball or disk, in the frame of body b.");
}
template <class V>
void describe(V& v, Kind<KnifeEdgeConstraint> kind) {
  describe_point_a(v, kind);
  v("axis_a", &KnifeEdgeConstraint::axis_a,
    {.doc = "Direction in which the point cannot move, in the frame of body a.",
     .role = FieldRole::kDirection});
}
template <class V>
void describe(V& v, Kind<SpeedConstraint> kind) {
  describe_point_a(v, kind);
  describe_axis_b(v, kind, "Direction of the speed, in the frame of body b.");
  v("speed", &SpeedConstraint::speed,
    {.doc = "Velocity of the point relative to b along axis_b.", .unit = "m/s", .required = true});
}
template <class V>
void describe(V& v, Kind<SpinConstraint> kind) {
  describe_axis_b(v, kind, "Axis of the spin, in the frame of body b.");
  v("speed", &SpinConstraint::speed,
    {.doc = "Angular velocity of a relative to b about axis_b.", .unit = "rad/s", .required = true});
}

// Constraints and gears are rigid, or relaxed by a spring and a damper.
template <class V, class C>
void describe_relaxation(V& v, Kind<C>, const char* stiffness_doc, const char* damping_doc) {
  v("stiffness", &C::stiffness, {.doc = stiffness_doc, .unit = "N/m or N m/rad", .range = above(0.0)});
  v("damping", &C::damping, {.doc = damping_doc, .unit = "N s/m or N m s/rad", .range = at_least(0.0)});
}

template <class V>
void describe(V& v, Kind<Constraint> kind) {
  v("name", &Constraint::name, {.doc = "Name.", .required = true, .role = FieldRole::kName});
  v.tagged("type", &Constraint::geometry, {.doc = "Kind of constraint.", .required = true});
  v("a", &Constraint::a, {.doc = "First body.", .required = true, .role = FieldRole::kBody});
  v("b", &Constraint::b, {.doc = "Second body, or world.", .role = FieldRole::kBody});
  describe_relaxation(
      v, kind, "Stiffness of a relaxed constraint; rigid where absent.",
      "Damping of a relaxed constraint; of one on velocities (rolling, knife-edge, speed, spin) alone.");
}

template <class V>
void describe(V& v, Kind<Gear> kind) {
  v("name", &Gear::name, {.doc = "Name.", .required = true, .role = FieldRole::kName});
  v("joint_a", &Gear::joint_a,
    {.doc = "Joint whose coordinate is given.", .required = true, .role = FieldRole::kJoint});
  v("joint_b", &Gear::joint_b,
    {.doc = "Joint that it follows.", .required = true, .role = FieldRole::kJoint});
  v("coordinate_a", &Gear::coordinate_a,
    {.doc = "Which coordinate of joint_a, from 0.", .range = between(0, 5)});
  v("coordinate_b", &Gear::coordinate_b,
    {.doc = "Which coordinate of joint_b, from 0.", .range = between(0, 5)});
  v("ratio", &Gear::ratio, {.doc = "q_a = ratio q_b + offset."});
  v("offset", &Gear::offset, {.doc = "q_a = ratio q_b + offset.", .unit = "m or rad", .range = kCoordinate});
  describe_relaxation(v, kind, "Stiffness of a relaxed gear, at q_a; rigid where absent.",
                      "Damping of a relaxed gear, at q_a.");
}

template <class V>
void describe(V& v, Kind<Spring> kind) {
  v("name", &Spring::name, {.doc = "Name.", .required = true, .role = FieldRole::kName});
  v("a", &Spring::a, {.doc = "First body.", .required = true, .role = FieldRole::kBody});
  v("b", &Spring::b, {.doc = "Second body, or world.", .role = FieldRole::kBody});
  describe_points(v, kind);
  v("rest_length", &Spring::rest_length,
    {.doc = "Length at which it is slack.", .unit = "m", .range = between(0.0, 1e9)});
  v("stiffness", &Spring::stiffness, {.doc = "Stiffness.", .unit = "N/m", .range = at_least(0.0)});
  v("law", &Spring::law,
    {.doc = "Force against the elongation x = length - rest_length, instead of stiffness; it pulls where "
            "positive.",
     .unit = "N",
     .variable = kElongation});
  v("damping", &Spring::damping,
    {.doc = "Damping along the line; alone it makes a damper.", .unit = "N s/m", .range = at_least(0.0)});
  v("side", &Spring::side, {.doc = "Whether it pulls and pushes, only pulls (tension), or only pushes."});
}

template <class V, class C>
void describe_joint_coordinate(V& v, Kind<C>) {
  v("joint", &C::joint, {.doc = "Joint it acts on.", .required = true, .role = FieldRole::kJoint});
  v("coordinate", &C::coordinate, {.doc = "Which coordinate of the joint, from 0.", .range = between(0, 5)});
}

template <class V>
void describe(V& v, Kind<Motor> kind) {
  v("name", &Motor::name, {.doc = "Name.", .required = true, .role = FieldRole::kName});
  describe_joint_coordinate(v, kind);
  v("effort", &Motor::effort, {.doc = "Force or torque.", .unit = "N or N m", .required = true});
}

template <class V>
void describe(V& v, Kind<Motion> kind) {
  v("name", &Motion::name, {.doc = "Name.", .required = true, .role = FieldRole::kName});
  describe_joint_coordinate(v, kind);
  v("position", &Motion::position, {.doc = "The coordinate.", .unit = "m or rad"});
  v("velocity", &Motion::velocity, {.doc = "Its speed, instead of position.", .unit = "m/s or rad/s"});
  v("acceleration", &Motion::acceleration,
    {.doc = "Its acceleration, instead of position.", .unit = "m/s^2 or rad/s^2"});
}

template <class V>
void describe(V& v, Kind<Force>) {
  v("name", &Force::name, {.doc = "Name.", .required = true, .role = FieldRole::kName});
  v("body", &Force::body, {.doc = "Body it acts on.", .required = true, .role = FieldRole::kMovingBody});
  v("point", &Force::point,
    {.doc = "Point where the force acts, in the body's frame.", .unit = "m", .range = kCoordinate});
  v("frame", &Force::frame,
    {.doc = "Whether force and torque are given in axes of the world or of the body."});
  v("force", &Force::force, {.doc = "Force along x, y, z.", .unit = "N"});
  v("torque", &Force::torque, {.doc = "Torque about x, y, z.", .unit = "N m"});
}

template <class V>
void describe(V& v, Kind<SineFunction>) {
  v("amplitude", &SineFunction::amplitude,
    {.doc = "offset + amplitude sin(2 pi frequency t + phase).", .required = true});
  v("frequency", &SineFunction::frequency,
    {.doc = "Frequency.", .unit = "Hz", .range = at_least(0.0), .required = true});
  v("phase", &SineFunction::phase, {.doc = "Phase at t = 0.", .unit = "rad"});
  v("offset", &SineFunction::offset, {.doc = "Mean value."});
}

template <class V>
void describe(V& v, Kind<TableFunction>) {
  v("times", &TableFunction::times,
    {.doc = "Times, strictly ascending; in a spring's law elongations in m.",
     .unit = "s",
     .required = true,
     .min_items = 1});
  v("values", &TableFunction::values, {.doc = "Values at these times.", .required = true, .min_items = 1});
  v("interpolation", &TableFunction::interpolation,
    {.doc = "Between the times: a line, or the value before."});
  v("beyond", &TableFunction::beyond, {.doc = "Outside the table: the end values, or the table again."});
}

template <class V>
void describe(V& v, Kind<RunSettings>) {
  v("dt", &RunSettings::dt, {.doc = "Time step.", .unit = "s", .range = between(1e-9, 1.0)});
  v("until", &RunSettings::until,
    {.doc = "End of the simulated time.", .unit = "s", .range = between(0.0, 1e9)});
  v("method", &RunSettings::method,
    {.doc = "Time-stepping method; runge-kutta-4 is for scenes without contact."});
  v("formulation", &RunSettings::formulation, {.doc = "Friction law and its discretisation."});
  v("solver", &RunSettings::solver, {.doc = "Solver of each step's complementarity problem."});
  v("positions", &RunSettings::positions,
    {.doc =
         "Whether positions move with the new velocity after it is solved for, or with the old one before: "
         "then masses and contacts are taken where they lead."});
  v("directions", &RunSettings::directions,
    {.doc = "Directions of the polyhedral cone in space, an even number; in a plane there are two.",
     .range = between(2, 256)});
  v("on_unsolved", &RunSettings::on_unsolved,
    {.doc = "A step that is not solved to the tolerance: stops the run, is accepted as it is and counted, or "
            "is tried again as two halves."});
  v("tolerance", &RunSettings::tolerance,
    {.doc = "Largest residual with which a step counts as solved.",
     .unit = "m/s",
     .range = between(1e-16, 1.0)});
  v("overlap", &RunSettings::overlap,
    {.doc = "Overlap of bodies that a step may leave; deeper ones are pushed apart. 0 takes tolerance · dt. "
            "Pushing disturbs what rests: a pile comes to rest sooner with 1e-5 of its bodies' size.",
     .unit = "m",
     .range = at_least(0.0)});
  v("max_iterations", &RunSettings::max_iterations,
    {.doc = "Sweeps and Newton steps after which the solver of a large island ends with the best point it "
            "met, unsolved: with on_unsolved accept, the price of a step in a pile.",
     .range = between(1, 1e9)});
  v("work", &RunSettings::work,
    {.doc = "Multiplications that the solvers may take in one step, halves of it included, before it ends "
            "unsolved: so many for every 100 contact rows, and for 300 at least. Counted, not timed: a "
            "second or two.",
     .range = between(1e3, 1e18)});
  v("budget", &RunSettings::budget,
    {.doc = "A step may take so many times the work that steps usually take (their median for every contact "
            "row, as the run goes on) before it ends unsolved, and never more than `work`: with on_unsolved "
            "accept, it is taken at the best point met. 0: no such bound.",
     .range = at_least(0.0)});
  v("sliding", &RunSettings::sliding,
    {.doc = "How `phantom` takes a contact that slides: along the slip with a regularised lateral force, "
            "along the slip alone, or with all its directions."});
  v("phantom_inertia", &RunSettings::phantom_inertia,
    {.doc = "Phantom inertia of `phantom`; 0 takes one within the admissible range, contact by contact.",
     .unit = "kg",
     .range = at_least(0.0)});
  v("form", &RunSettings::form,
    {.doc = "Whether `phantom` is solved as a mixed LCP, with velocities and friction forces as unknowns, or "
            "with these eliminated."});
  v("threads", &RunSettings::threads,
    {.doc =
         "Threads that share the islands of a step, 0 for all cores. The result is the same for any number.",
     .range = between(0, 1024)});
}

/// The lists of a scene that "repeat" and "include" may add to.
template <class V>
void describe_lists(V& v) {
  v("materials", &Scene::materials, {.doc = "Materials."});
  v("shapes", &Scene::shapes, {.doc = "Shapes fixed in the world."});
  v("bodies", &Scene::bodies, {.doc = "Bodies."});
  v("groups", &Scene::groups, {.doc = "Groups of bodies that move in a plane."});
  v("constraints", &Scene::constraints, {.doc = "Constraints between bodies; they close loops."});
  v("gears", &Scene::gears, {.doc = "Couplings between joint coordinates."});
  v("springs", &Scene::springs, {.doc = "Springs and dampers between points."});
  v("motors", &Scene::motors, {.doc = "Forces and torques in joints."});
  v("motions", &Scene::motions, {.doc = "Joint coordinates that follow a function of time."});
  v("forces", &Scene::forces, {.doc = "Forces and torques on bodies."});
}

template <class V>
void describe(V& v, Kind<Scene>) {
  v("name", &Scene::name, {.doc = "Title of the scene."});
  v("description", &Scene::description, {.doc = "What it shows."});
  v("gravity", &Scene::gravity,
    {.doc = "Acceleration of free fall.", .unit = "m/s^2", .range = between(-1e6, 1e6)});
  v("planar", &Scene::planar, {.doc = "Plane in which the whole scene moves; in space where absent."});
  describe_lists(v);
  v("run", &Scene::run, {.doc = "Settings of the simulation."});
}

/// Visits and does nothing: only to ask which types describe() knows.
struct NullVisitor {
  void shorthand(const char*) {}
  template <class M>
  void operator()(const char*, M, const FieldInfo&) {}
  template <class M>
  void tagged(const char*, M, const FieldInfo&) {}
};

/// A struct whose fields describe() lists.
template <class T>
concept Described = std::is_class_v<T> && requires(NullVisitor& visitor) {
  describe(visitor, Kind<T>{});
};

}  // namespace rigor
